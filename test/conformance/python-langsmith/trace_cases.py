import math
from uuid import uuid4

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tracers import LangChainTracer
from langsmith import Client, traceable, tracing_context
from langsmith.run_helpers import get_current_run_tree
from langsmith.schemas import Attachment
from langsmith.utils import LangSmithNotFoundError
from langsmith.wrappers import wrap_openai
from openai import OpenAI

from cases import case, equal, has, until
from fake_provider import fake_provider


def name() -> str:
    return f"python {uuid4()}"


@case("tracing: traceable logs a tree, its metadata, tags and error")
def traced(world):
    project = name()

    @traceable(run_type="tool", tags=["inner"])
    def double(n):
        if n < 0:
            raise ValueError("negative")
        return n * 2

    @traceable(metadata={"team": "a"})
    def answer(n):
        get_current_run_tree().add_metadata({"seen": n})
        return double(n) + 1

    with tracing_context(project_name=project, client=world.client, enabled=True):
        equal(answer(2), 5)
        try:
            answer(-1)
        except ValueError:
            pass
    root, inner, failed, cause = world.logged(project, 4)
    has(root, name="answer", inputs={"n": 2}, outputs={"output": 5}, run_type="chain", status="success")
    has(inner, name="double", parent_run_id=root.id, trace_id=root.id, tags=["inner"], run_type="tool")
    equal(root.extra["metadata"]["team"], "a")
    equal(root.extra["metadata"]["seen"], 2)
    has(failed, status="error")
    assert "negative" in cause.error, cause.error


@case("tracing: a generator logs all it gave, and the time of its first")
def generator(world):
    project = name()

    @traceable(run_type="llm", reduce_fn=lambda chunks: {"text": "".join(chunks)})
    def stream():
        yield "one "
        yield "two"

    with tracing_context(project_name=project, client=world.client, enabled=True):
        equal(list(stream()), ["one ", "two"])
    (run,) = world.logged(project, 1)
    has(run, outputs={"text": "one two"})
    assert run.first_token_time is not None


@case("tracing: what JSON does not know, and attachments")
def odd_values(world):
    project, run_id = name(), uuid4()
    inputs = {"not": math.nan, "endless": math.inf, "big": 2**70, "nul": "a\0b", "lone": "\ud800", "bytes": b"\x00\xff"}
    client = Client(api_url=world.url, api_key=world.api_key)
    client.create_run(
        "odd",
        inputs,
        "chain",
        id=run_id,
        trace_id=run_id,
        dotted_order=f"20260102T030405000000Z{run_id}",
        project_name=project,
        attachments={"picture": Attachment(mime_type="image/png", data=b"\x89PNG")},
    )
    client.update_run(run_id, outputs={"ok": True}, trace_id=run_id, dotted_order=f"20260102T030405000000Z{run_id}")
    client.flush()

    def came() -> bool:
        try:
            return world.client.read_run(run_id).outputs == {"ok": True}
        except LangSmithNotFoundError:
            return False

    until(came)
    run = world.client.read_run(run_id)
    equal(run.inputs["not"], None)
    assert int(run.inputs["big"]) == 2**70 or float(run.inputs["big"]) == float(2**70), run.inputs
    equal(run.attachments["picture"]["mime_type"], "image/png")
    equal(run.attachments["picture"]["reader"].read(), b"\x89PNG")
    # Older clients select the inputs, but not s3_urls.
    (listed,) = world.client.list_runs(id=[run_id], select=["inputs"])
    equal(listed.attachments["picture"]["reader"].read(), b"\x89PNG")


@case("tracing: inputs and outputs that are hidden are not sent")
def hidden(world):
    project = name()
    client = Client(api_url=world.url, api_key=world.api_key, hide_inputs=True, hide_outputs=lambda _: {"hidden": True})
    with tracing_context(project_name=project, client=client, enabled=True):
        traceable(lambda secret: secret, name="secret")("word")
    (run,) = world.logged(project, 1, client)
    has(run, inputs={}, outputs={"hidden": True})


@case("tracing: wrap_openai logs calls with messages and tokens")
def wrapped_openai(world):
    project = name()
    with fake_provider() as provider:
        openai = wrap_openai(OpenAI(base_url=provider, api_key="none"))
        with tracing_context(project_name=project, client=world.client, enabled=True):
            messages = [{"role": "user", "content": "hi"}]
            openai.chat.completions.create(model="gpt-5-mini", messages=messages)
            list(openai.chat.completions.create(model="gpt-5-mini", messages=messages, stream=True))
    whole, streamed = world.logged(project, 2)
    has(whole, run_type="llm", prompt_tokens=10, completion_tokens=2, total_tokens=12)
    equal(whole.inputs["messages"], messages)
    equal(whole.extra["metadata"]["ls_provider"], "openai")
    assert whole.total_cost and whole.total_cost > 0, whole.total_cost
    equal(streamed.outputs["choices"][0]["message"]["content"], "hello there")
    assert streamed.first_token_time is not None


@case("tracing: the tracer of LangChain logs chains and models")
def langchain(world):
    project = name()
    reply = AIMessage("blue", usage_metadata={"input_tokens": 4, "output_tokens": 1, "total_tokens": 5})
    model = GenericFakeChatModel(messages=iter([reply]))
    chain = ChatPromptTemplate.from_messages([("human", "{q}")]) | model
    tracer = LangChainTracer(project_name=project, client=world.client)
    chain.invoke({"q": "What colour?"}, {"callbacks": [tracer], "metadata": {"thread_id": "t-1"}})
    runs = world.logged(project, 3)
    equal([run.run_type for run in runs], ["chain", "prompt", "llm"])
    has(runs[2], prompt_tokens=4, completion_tokens=1)
    equal(runs[0].extra["metadata"]["thread_id"], "t-1")
