from datetime import datetime, timedelta, timezone
from uuid import uuid4

from cases import case, equal, has, refused

FIELDS = {
    "cron_id", "assistant_id", "thread_id", "user_id", "schedule", "timezone", "end_time", "payload", "next_run_date",
    "metadata", "on_run_completed", "enabled", "is_enabled", "created_at", "updated_at", "webhook",
}  # fmt: skip
YEARLY = "0 9 1 1 *"
# Half a year away: its days are all to come, in their order.
FAR_MONTH = (datetime.now(timezone.utc).month + 5) % 12 + 1


@case("crons: create")
async def create(server):
    crons = server.client.crons
    cron = await crons.create(
        "echo",
        schedule=YEARLY,
        input={"text": "hi"},
        metadata={"team": "a"},
        config={"configurable": {"mine": 1}},
        webhook="https://a.example/done",
        multitask_strategy="interrupt",
        stream_mode=["updates"],
        durability="exit",
        timezone="America/New_York",
        enabled=False,
    )
    equal(set(cron), FIELDS)
    has(cron, thread_id=None, user_id="", schedule=YEARLY, timezone="America/New_York", end_time=None, enabled=False)
    has(cron, metadata={"team": "a"}, on_run_completed="delete", is_enabled=False)
    equal(cron["next_run_date"][4:], "-01-01T14:00:00.000000+00:00")
    has(cron["payload"], assistant_id="echo", input={"text": "hi"}, stream_mode=["updates"], durability="exit")
    equal(cron["payload"]["config"], {"configurable": {"mine": 1, "cron_id": cron["cron_id"]}})
    await refused(422, crons.create("echo", schedule="every day"))
    await refused(422, crons.create("echo", schedule=YEARLY, timezone="Mars/Olympus"))
    await refused(404, crons.create(str(uuid4()), schedule=YEARLY))


@case("crons: create for a thread")
async def create_for_thread(server):
    client = server.client
    thread_id = (await client.threads.create())["thread_id"]
    cron = await client.crons.create_for_thread(thread_id, "echo", schedule=YEARLY, input={"text": "hi"})
    has(cron, thread_id=thread_id, on_run_completed=None, enabled=True)
    equal([one["cron_id"] for one in await client.crons.search(thread_id=thread_id)], [cron["cron_id"]])
    await refused(404, client.crons.create_for_thread(str(uuid4()), "echo", schedule=YEARLY))
    await client.threads.delete(thread_id)
    equal(await client.crons.count(thread_id=thread_id), 0)


@case("crons: update merges, moves and clears")
async def update(server):
    crons = server.client.crons
    id = (await crons.create("echo", schedule=YEARLY, metadata={"a": 1, "b": 1}, enabled=False))["cron_id"]
    end = datetime(2099, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    cron = await crons.update(
        id, schedule="0 9 1 2 *", metadata={"b": 2}, end_time=end, input={"text": "new"}, on_run_completed="keep"
    )
    has(cron, schedule="0 9 1 2 *", metadata={"a": 1, "b": 2}, end_time="2098-12-31T22:00:00.000000+00:00")
    has(cron, on_run_completed="keep", enabled=False)
    equal((cron["next_run_date"][4:16], cron["payload"]["input"]), ("-02-01T09:00", {"text": "new"}))
    has(await crons.update(id, enabled=True), enabled=True, is_enabled=True)
    has(await crons.update(id, end_time=None), end_time=None, schedule="0 9 1 2 *")
    has(await crons.update(id, end_time=datetime(2001, 1, 1)), end_time="2001-01-01T00:00:00.000000+00:00")
    await refused(400, crons.update(id))
    await refused(404, crons.update(str(uuid4()), enabled=True))


@case("crons: search, count, delete")
async def search(server):
    crons, mark = server.client.crons, uuid4().hex
    made = {}
    for n in (1, 2, 3):
        cron = await crons.create(
            "echo", schedule=f"0 0 {4 - n} {FAR_MONTH} *", metadata={"mark": mark, "n": n}, enabled=n != 2
        )
        made[n] = cron["cron_id"]

    async def found(**query):
        return [cron["metadata"]["n"] for cron in await crons.search(metadata={"mark": mark}, **query)]

    equal(await found(), [3, 2, 1])
    equal(await found(sort_order="asc"), [1, 2, 3])
    equal(await found(sort_by="next_run_date", sort_order="asc"), [3, 2, 1])
    equal(await found(enabled=False), [2])
    equal(await found(limit=1, offset=1), [2])
    equal(await found(assistant_id="steps"), [])
    selected = await crons.search(metadata={"mark": mark, "n": 1}, select=["cron_id", "enabled"])
    equal(selected, [{"cron_id": made[1], "enabled": True}])
    equal(await crons.count(metadata={"mark": mark}), 3)
    equal(await crons.delete(made[2]), None)
    equal(await crons.count(metadata={"mark": mark}), 2)
    await refused(404, crons.delete(made[2]))
