from uuid import uuid4

from langsmith.utils import LangSmithNotFoundError

from cases import case, equal, has, refused
from query_cases import log


@case("annotation queues: made, filled, read in order, changed and deleted")
def queues(world):
    client, name = world.client, f"queue {uuid4()}"
    runs = log(world, f"queued {uuid4()}", 2)
    queue = client.create_annotation_queue(name=name, description="look", rubric_instructions="kindly")
    client.add_runs_to_annotation_queue(queue.id, run_ids=runs)
    client.add_runs_to_annotation_queue(queue.id, run_ids=runs)
    equal(client.get_run_from_annotation_queue(queue.id, index=1).id, runs[1])
    equal([run.id for run in client.list_runs_from_annotation_queue(queue.id)], runs)
    refused(LangSmithNotFoundError, lambda: client.get_run_from_annotation_queue(queue.id, index=2))
    client.delete_run_from_annotation_queue(queue.id, run_id=runs[0])
    equal(len(list(client.list_runs_from_annotation_queue(queue.id))), 1)
    client.update_annotation_queue(queue.id, name=name, description="look again")
    has(client.read_annotation_queue(queue.id), description="look again", rubric_instructions="kindly")
    equal([one.id for one in client.list_annotation_queues(name=name)], [queue.id])
    items = client.annotation_queues.items
    (item,) = world.all(items.list(str(queue.id), status="needs_my_review"))
    equal(item.run_id, str(runs[1]))
    done = world.wait(items.create_status(item.id, status="completed"))
    assert done.is_archived, done
    client.delete_annotation_queue(queue.id)
    refused(LangSmithNotFoundError, lambda: client.read_annotation_queue(queue.id))
