import csv
import tempfile
from uuid import uuid4

from langsmith.evaluation import evaluate, evaluate_comparative
from langsmith.schemas import ExampleUpsertWithAttachments
from langsmith.utils import LangSmithConflictError, LangSmithError

from cases import case, equal, has, refused, until


def filled(world, *numbers: int):
    dataset = world.client.create_dataset(f"numbers {uuid4()}")
    examples = [{"inputs": {"n": n}, "outputs": {"double": n * 2}} for n in numbers]
    world.client.create_examples(dataset_id=dataset.id, examples=examples)
    return dataset


@case("datasets: made, found, changed, shared and deleted")
def datasets(world):
    client, name = world.client, f"set {uuid4()}"
    schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    steps = [{"path": ["inputs"], "transformation_type": "remove_extra_fields"}]
    made = client.create_dataset(name, description="one", inputs_schema=schema, transformations=steps, metadata={"k": 1})
    refused(LangSmithConflictError, lambda: client.create_dataset(name))
    has(client.read_dataset(dataset_name=name), id=made.id, inputs_schema=schema, transformations=steps)
    assert client.has_dataset(dataset_name=name)
    equal([one.id for one in client.list_datasets(dataset_name_contains=name[4:])], [made.id])
    example = client.create_example({"n": 1, "more": 2}, dataset_id=made.id)
    equal(client.read_example(example.id).inputs, {"n": 1})
    refused(LangSmithError, lambda: client.create_example({"n": "one"}, dataset_id=made.id))
    token = client.share_dataset(made.id)["share_token"]
    equal(client.read_shared_dataset(token).id, made.id)
    equal([one.inputs for one in client.list_shared_examples(token)], [{"n": 1}])
    equal(list(client.list_shared_projects(dataset_share_token=token)), [])
    client.unshare_dataset(made.id)
    client.delete_dataset(dataset_id=made.id)
    assert not client.has_dataset(dataset_name=name)


@case("datasets: the second version of the API, by its generated client")
def second(world):
    ids = [str(filled(world, 1).id) for _ in range(2)]
    list_v2 = world.client.datasets.list_v2
    listed = world.all(list_v2(id=ids, page_size=1, sort_by="created_at", sort_order="asc", data_type=["kv"]))
    equal([(one.id, one.example_count, one.session_count) for one in listed], [(id, 1, 0) for id in ids])
    (one,) = world.all(list_v2(name=listed[0].name, exclude=["example_count"]))
    has(one, id=ids[0], example_count=None)


@case("examples: written, changed, listed by version and split, with what is attached")
def examples(world):
    client = world.client
    dataset = filled(world, 1, 2, 3)
    before = client.read_dataset_version(dataset_id=dataset.id, tag="latest").as_of
    first, second, third = sorted(client.list_examples(dataset_id=dataset.id), key=lambda one: one.inputs["n"])
    client.update_example(first.id, inputs={"n": 10}, metadata={"level": "hard"}, split="test")
    client.update_examples(dataset_id=dataset.id, updates=[{"id": second.id, "outputs": {"double": 0}}])
    client.delete_example(third.id)
    equal([one.inputs["n"] for one in client.list_examples(dataset_id=dataset.id, splits=["test"])], [10])
    equal([one.id for one in client.list_examples(dataset_id=dataset.id, metadata={"level": "hard"})], [first.id])
    equal(len(list(client.list_examples(dataset_id=dataset.id))), 2)
    equal(sorted(one.inputs["n"] for one in client.list_examples(dataset_id=dataset.id, as_of=before)), [1, 2, 3])
    client.update_dataset_tag(dataset_id=dataset.id, as_of=before, tag="start")
    equal(client.read_dataset_version(dataset_id=dataset.id, tag="start").as_of, before)
    assert len(list(client.list_dataset_versions(dataset_id=dataset.id))) >= 2
    diff = client.diff_dataset_versions(dataset_id=dataset.id, from_version="start", to_version="latest")
    equal((diff.examples_removed, sorted(diff.examples_modified)), ([third.id], sorted([first.id, second.id])))
    client.update_dataset_splits(dataset_id=dataset.id, split_name="train", example_ids=[second.id])
    equal(set(client.list_dataset_splits(dataset_id=dataset.id)), {"test", "train", "base"})

    upsert = ExampleUpsertWithAttachments(
        dataset_id=dataset.id, inputs={"n": 5}, attachments={"note": ("text/plain", b"hello")}
    )
    (made,) = client.upsert_examples_multipart(upserts=[upsert])["example_ids"]
    (found,) = client.list_examples(example_ids=[made], include_attachments=True)
    equal(found.attachments["note"]["reader"].read(), b"hello")
    client.delete_examples([made], hard_delete=True)
    equal(list(client.list_examples(example_ids=[made])), [])


@case("datasets: of a CSV file, and of public ones")
def files(world):
    client = world.client
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        csv.writer(file).writerows([["q", "a"], ["one", "1"], ["two", "2"]])
        file.flush()
        made = client.upload_csv(file.name, input_keys=["q"], output_keys=["a"], name=f"sheet {uuid4()}")
    equal(sorted(one.inputs["q"] for one in client.list_examples(dataset_id=made.id)), ["one", "two"])
    token = client.share_dataset(made.id)["share_token"]
    copy = client.clone_public_dataset(f"{world.url}/public/{token}/d", dataset_name=f"copy {uuid4()}")
    equal(len(list(client.list_examples(dataset_id=copy.id))), 2)
    equal(len(client.read_dataset_openai_finetuning(made.id)), 2)


@case("evaluate(): an experiment with runs, scores and a summary, compared with another")
def evaluated(world):
    dataset = filled(world, 1, 2)

    def right(outputs, reference_outputs):
        return outputs["double"] == reference_outputs["double"]

    def mean(outputs):
        return {"key": "mean", "score": sum(one["double"] for one in outputs) / len(outputs)}

    def run(target, prefix):
        return evaluate(
            target,
            data=dataset.name,
            evaluators=[right],
            summary_evaluators=[mean],
            experiment_prefix=prefix,
            client=world.client,
            max_concurrency=2,
        )

    good = run(lambda inputs: {"double": inputs["n"] * 2}, "good")
    bad = run(lambda inputs: {"double": inputs["n"]}, "bad")
    world.client.flush()
    until(lambda: world.client.read_project(project_name=bad.experiment_name, include_stats=True).run_count == 2)
    project = world.client.read_project(project_name=good.experiment_name, include_stats=True)
    has(project, reference_dataset_id=dataset.id, run_count=2)
    until(lambda: len(list(world.client.list_feedback(feedback_key=["right"], run_ids=ids(world, good)))) == 2)
    results = world.client.get_experiment_results(name=good.experiment_name)
    equal(results["run_stats"]["run_count"], 2)
    equal([len(example.runs) for example in results["examples_with_runs"]], [1, 1])

    def prefer(runs, example):
        return {"key": "preferred", "scores": {run.id: run.outputs["double"] for run in runs}}

    compared = evaluate_comparative(
        (good.experiment_name, bad.experiment_name), evaluators=[prefer], client=world.client
    )
    scores = [result["evaluation_results"]["feedback.preferred"].scores for result in compared]
    equal(sorted(sorted(one.values()) for one in scores), [[1, 2], [2, 4]])


def ids(world, results) -> list:
    return [run.id for run in world.client.list_runs(project_name=results.experiment_name, is_root=True)]
