from datetime import datetime, timedelta, timezone
from uuid import uuid4

from langsmith.utils import LangSmithConflictError, LangSmithNotFoundError

from cases import case, equal, has, refused


def log(world, project: str, count: int, **more) -> list:
    ids = []
    start = datetime.now(timezone.utc) - timedelta(minutes=5)
    for n in range(count):
        run_id, began = uuid4(), start + timedelta(seconds=n)
        run = {
            "id": run_id,
            "trace_id": run_id,
            "dotted_order": f"{began:%Y%m%dT%H%M%S%f}Z{run_id}",
            "session_name": project,
            "name": f"run {n}",
            "run_type": "chain",
            "start_time": began,
            "end_time": began + timedelta(seconds=1),
            "inputs": {"n": n},
            "outputs": {"n": n * 2},
            "extra": {"metadata": {"thread_id": f"thread {n % 2}"}},
            **more,
        }
        world.client.batch_ingest_runs(create=[run])
        ids.append(run_id)
    return ids


@case("reading: runs by project, filter, id and selection; statistics; the address of a run")
def runs(world):
    project = f"read {uuid4()}"
    ids = log(world, project, 3)
    client = world.client
    listed = list(client.list_runs(project_name=project))
    equal([run.id for run in listed], ids[::-1])
    equal([run.name for run in client.list_runs(project_name=project, filter='eq(name, "run 1")')], ["run 1"])
    equal(len(list(client.list_runs(id=ids[:2]))), 2)
    (few,) = client.list_runs(project_name=project, select=["inputs"], limit=1)
    has(few, inputs={"n": 2}, outputs=None)
    stats = client.get_run_stats(project_names=[project])
    equal((stats["run_count"], stats["latency_p50"], stats["error_rate"]), (3, 1, 0))
    equal(client.read_run(ids[0], load_child_runs=True).child_runs, [])
    assert str(ids[0]) in client.get_run_url(run=client.read_run(ids[0])), client.get_run_url(run=listed[0])
    equal({thread["thread_id"] for thread in client.list_threads(project_name=project)}, {"thread 0", "thread 1"})
    equal(len(list(client.read_thread(thread_id="thread 0", project_name=project))), 2)
    refused(LangSmithNotFoundError, lambda: client.read_run(uuid4()))


@case("reading: list_runs has the token and cost details, tags and times that read_run has")
def details(world):
    project = f"details {uuid4()}"
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_token_details": {"cache_read": 4},
        "output_token_details": {"reasoning": 2},
        "input_cost": 0.5,
        "output_cost": 0.25,
        "total_cost": 0.75,
        "input_cost_details": {"cache_read": 0.125},
        "output_cost_details": {"reasoning": 0.0625},
    }
    (run_id,) = log(world, project, 1, run_type="llm", outputs={"usage_metadata": usage}, tags=["z", "a"])
    (listed,) = world.client.list_runs(project_name=project)
    whole = world.client.read_run(run_id)
    has(whole, prompt_token_details={"cache_read": 4}, completion_token_details={"reasoning": 2}, tags=["z", "a"])
    equal(whole.latency, 1)
    assert timedelta(0) < datetime.now(timezone.utc) - whole.start_time < timedelta(hours=1), whole.start_time
    # Fields that are expensive for many runs are only in read_run.
    costly = {"child_run_ids", "attachments", "serialized"}
    equal(listed.model_dump(exclude=costly), whole.model_dump(exclude=costly))
    assert whole.prompt_cost_details and whole.completion_cost_details, whole


@case("reading: the second version of the API, by its generated client")
def second(world):
    project = f"v2 {uuid4()}"
    ids = log(world, project, 3)
    client = world.client
    project_id = str(client.read_project(project_name=project).id)
    asked = {"project_ids": [project_id], "selects": ["NAME", "STATUS"], "page_size": 2}
    items = world.all(client.runs.query(**asked))
    equal([(item.name, item.status) for item in items], [(f"run {n}", "SUCCESS") for n in (2, 1, 0)])
    url = world.wait(client.runs.get_url(str(ids[0]), project_id=project_id, trace_id=str(ids[0]))).url
    assert str(ids[0]) in url, url
    threads = world.all(client.threads.query(project_id=project_id))
    equal(sorted((thread.thread_id, thread.count) for thread in threads), [("thread 0", 2), ("thread 1", 1)])
    stats = world.wait(client.threads.stats("thread 0", session_id=project_id, selects=["TURNS"]))
    equal(stats.turns, 2)
    traces = world.all(client.traces.query(project_id=project_id, selects=["NAME"]))
    equal(traces[0].root_run.name, "run 2")
    first = str(ids[0])
    token = world.wait(client.runs.share.create(first, session_id=project_id, trace_id=first)).share_token
    shared = world.wait(client.public.runs.query(token, selects=["NAME"]))
    equal([run.name for run in shared.items], ["run 0"])
    inside = world.wait(client.traces.list_runs(first, project_id=project_id, selects=["NAME"]))
    equal([run.name for run in inside.items], ["run 0"])


@case("reading: threads together, and one that is shared, by the generated client")
def conversations(world):
    project = f"threads {uuid4()}"
    ids = log(world, project, 3)
    client = world.client
    project_id = str(client.read_project(project_name=project).id)
    select = ["THREAD_COUNT", "TRACE_COUNT", "LATENCY_P50", "ERROR_RATE", "TOTAL_COST", "THREAD_FEEDBACK_STATS"]
    told = world.wait(client.threads.aggregate_stats(project_id=project_id, select=select))
    has(told, thread_count=2, trace_count=3, latency_p50_seconds=1, error_rate=0, thread_feedback_stats={})
    share = client.threads.share
    equal(world.wait(share.retrieve("thread 0", project_id=project_id)).share_token, None)
    token = world.wait(share.create("thread 0", project_id=project_id)).share_token
    equal(world.wait(share.retrieve("thread 0", project_id=project_id)).share_token, token)
    opened = world.wait(client.public.runs.query(token, selects=["NAME"]))
    equal([str(run.id) for run in opened.items], [str(ids[0]), str(ids[2])])
    world.wait(share.delete("thread 0", project_id=project_id))
    refused(Exception, lambda: world.wait(client.public.runs.query(token)))


@case("projects: the second version of the API, by its generated client")
def second_projects(world):
    client, name = world.client, f"v2 {uuid4()}"
    sessions = client.sessions
    tier = {"trace_tier": "SHORT_LIVED", "longlived_ttl_days": 30}
    made = world.wait(sessions.create_v2(type="PROJECT", name=name, description="one", extra={"k": 1}, **tier))
    has(made, name=name, type="PROJECT", description="one", **tier)
    ids = log(world, name, 3)
    client.create_feedback(ids[2], "good", score=1, session_id=made.id)
    changed = world.wait(sessions.update_v2(made.id, description="two", extra={"l": 2}))
    has(changed, description="two", extra={"k": 1, "l": 2})
    (whole,) = world.all(sessions.list_v2(name=name, include_stats=True, include_facets=True))
    has(whole, id=made.id, run_count=3, latency_p50=1, error_rate=0, total_cost=None)
    equal(whole.feedback_stats["good"].n, 1)
    assert {"run 0", "run 1", "run 2"} <= {facet["value"] for facet in whole.run_facets}, whole.run_facets
    last = client.read_run(ids[2]).start_time
    (late,) = world.all(sessions.list_v2(name=name, include_stats=True, stats_start_time=last))
    has(late, run_count=1)
    asked = {"stats_filter": 'eq(name, "run 1")', "stats_select": ["run_count", "feedback_stats"]}
    (few,) = world.all(sessions.list_v2(name=name, include_stats=True, **asked))
    has(few, run_count=1, feedback_stats={}, latency_p50=None)
    has(world.wait(sessions.retrieve_v2(made.id, include_stats=True, stats_start_time=last)), run_count=1)
    assert len(world.all(sessions.list_v2(page_size=1, type=["PROJECT"], sort_by="NAME", sort_order="asc"))) > 1
    charts = world.wait(sessions.dashboard(made.id, stride={"hours": 1})).charts
    assert charts, "the dashboard has no charts"


@case("projects: made, found, changed, counted and deleted")
def projects(world):
    client, name = world.client, f"project {uuid4()}"
    made = client.create_project(name, description="one", metadata={"team": "a"})
    refused(LangSmithConflictError, lambda: client.create_project(name))
    equal(client.create_project(name, upsert=True).id, made.id)
    log(world, name, 2)
    has(client.read_project(project_name=name, include_stats=True), run_count=2, description="one")
    client.update_project(made.id, description="two")
    equal(client.read_project(project_id=made.id).description, "two")
    equal([project.id for project in client.list_projects(metadata={"team": "a"}, name=name)], [made.id])
    assert client.has_project(name)
    client.delete_project(project_name=name)
    assert not client.has_project(name)


@case("sharing: a trace is read by its token, and no more once it is taken back")
def sharing(world):
    client = world.client
    (run_id,) = log(world, f"shared {uuid4()}", 1)
    link = client.share_run(run_id)
    assert client.run_is_shared(run_id)
    equal(client.read_run_shared_link(run_id), link)
    token = link.split("/public/")[1].split("/")[0]
    has(client.read_shared_run(token), id=run_id, inputs={"n": 0})
    equal([run.id for run in client.list_shared_runs(token)], [run_id])
    client.unshare_run(run_id)
    assert not client.run_is_shared(run_id)
