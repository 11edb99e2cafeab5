from uuid import uuid4

import httpx
from langsmith.utils import LangSmithError, LangSmithNotFoundError

from cases import case, equal, has, refused, until
from query_cases import log


@case("feedback: given, listed, changed, counted and taken back; also before its run")
def feedback(world):
    client, project = world.client, f"said {uuid4()}"
    (run_id,) = log(world, project, 1)
    made = client.create_feedback(run_id, "correct", score=0.123456, comment="nearly", trace_id=run_id)
    client.flush()
    until(lambda: len(list(client.list_feedback(run_ids=[run_id]))) == 1)
    read = client.read_feedback(made.id)
    has(read, key="correct", score=0.1235, comment="nearly", run_id=run_id)
    client.update_feedback(made.id, score=1, value="yes")
    has(client.read_feedback(made.id), score=1, value="yes", comment="nearly")
    stats = client.read_run(run_id).feedback_stats["correct"]
    equal((stats["n"], stats["avg"]), (1, 1))
    equal(client.get_run_stats(project_names=[project])["feedback_stats"]["correct"]["n"], 1)
    client.delete_feedback(made.id)
    refused(LangSmithNotFoundError, lambda: client.read_feedback(made.id))
    early = client.create_feedback(uuid4(), "early", score=True)
    equal(client.read_feedback(early.id).score, 1)
    of_project = client.create_feedback(None, "summary", score=2, project_id=client.read_project(project_name=project).id)
    has(client.read_feedback(of_project.id), run_id=None, score=2)


@case("feedback: an address takes it from anyone, until it expires")
def tokens(world):
    client = world.client
    (run_id,) = log(world, f"asked {uuid4()}", 1)
    token = client.create_presigned_feedback_token(run_id, "thumb")
    equal(httpx.get(token.url, params={"score": 1}, timeout=90).status_code, 200)
    client.create_feedback_from_token(token.id, score=0, comment="no")
    equal(sorted(said.score for said in client.list_feedback(run_ids=[run_id])), [0, 1])
    equal([one.id for one in client.list_presigned_feedback_tokens(run_id)], [token.id])
    equal(len(client.create_presigned_feedback_tokens(run_id, ["a", "b"])), 2)


@case("feedback: what the values of a key mean")
def configs(world):
    client, key = world.client, f"key {uuid4()}"
    config = {"type": "categorical", "categories": [{"value": 0, "label": "bad"}, {"value": 1, "label": "good"}]}
    client.create_feedback_config(key, feedback_config=config)
    (found,) = client.list_feedback_configs(feedback_key=[key])
    equal(found.feedback_config["type"], "categorical")
    other = {"type": "freeform"}
    refused(LangSmithError, lambda: client.create_feedback_config(key, feedback_config=other))
    equal(client.update_feedback_config(key, is_lower_score_better=True).is_lower_score_better, True)
    client.delete_feedback_config(key)
    equal(list(client.list_feedback_configs(feedback_key=[key])), [])
