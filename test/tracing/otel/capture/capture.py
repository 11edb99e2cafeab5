"""Prints what an instrumentation sends of calls to a fake model, as the spans of rows in ../corpus.

Each family needs a virtual environment of its own:
  pip install litellm mcp opentelemetry-sdk                              python capture.py litellm
  pip install anthropic openinference-instrumentation-anthropic          python capture.py anthropic
  pip install 'strands-agents[openai]'                                   python capture.py strands
With OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, strands writes the newer conventions.
"""

import asyncio
import json
import re
import sys

import fake_models
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

url = fake_models.start()
memory = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
QUESTION = {"role": "user", "content": "Weather in Oslo?"}
# They tell of the machine they were captured on.
MACHINE = {"exception.stacktrace", "error.stack_trace"}


def litellm():
    import litellm
    from litellm.integrations.opentelemetry import OpenTelemetry, OpenTelemetryConfig

    litellm.callbacks = [OpenTelemetry(config=OpenTelemetryConfig(exporter=memory))]
    tool = {"type": "function", "function": {"name": "get_weather", "description": "Weather of a city", "parameters": PARAMETERS}}

    async def run():
        options = dict(model="openai/gpt-4o", api_key="k", api_base=f"{url}/v1", max_tokens=100, temperature=0.2)
        await litellm.acompletion(messages=[{"role": "system", "content": "Be brief"}, QUESTION], tools=[tool], **options)
        try:
            await litellm.acompletion(messages=[{"role": "user", "content": "fail"}], **options)
        except litellm.exceptions.BadRequestError:
            pass
        # The callbacks run behind the calls.
        await asyncio.sleep(4)

    asyncio.run(run())


def anthropic():
    import anthropic
    from openinference.instrumentation.anthropic import AnthropicInstrumentor

    AnthropicInstrumentor().instrument(tracer_provider=provider)
    client = anthropic.Anthropic(api_key="k", base_url=url, max_retries=0)
    tool = {"name": "get_weather", "description": "Weather of a city", "input_schema": PARAMETERS}
    options = dict(model="claude-sonnet-4-5", max_tokens=100, system="Be brief", tools=[tool])
    asked = client.messages.create(messages=[QUESTION], **options)
    call = [block.model_dump(exclude_none=True) for block in asked.content]
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Sunny"}
    turns = [QUESTION, {"role": "assistant", "content": call}, {"role": "user", "content": [result]}]
    client.messages.create(messages=turns, **options)
    try:
        client.messages.create(messages=[{"role": "user", "content": "fail"}], **options)
    except anthropic.BadRequestError:
        pass


def strands():
    trace.set_tracer_provider(provider)
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    @tool
    def get_weather(city: str) -> str:
        """Weather of a city.

        Args:
            city: The city.
        """
        return "Sunny"

    model = OpenAIModel(client_args={"api_key": "k", "base_url": f"{url}/v1"}, model_id="gpt-4o", params={"max_tokens": 100})
    Agent(model=model, tools=[get_weather], system_prompt="Be brief", callback_handler=None)("Weather in Oslo?")


def plain(attributes):
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in attributes.items()}
    return {
        key: re.sub(r"http://127\.0\.0\.1:\d+", "http://model.test", value) if isinstance(value, str) else value
        for key, value in values.items()
        if key not in MACHINE
    }


{"litellm": litellm, "anthropic": anthropic, "strands": strands}[sys.argv[1]]()
for span in memory.get_finished_spans():
    events = [{"name": event.name, "at": at, "attributes": plain(event.attributes)} for at, event in enumerate(span.events, 1)]
    row = {"name": span.name, "attributes": plain(span.attributes), "events": events}
    if not span.status.is_ok:
        row["status"] = {"code": 2, "message": span.status.description or ""}
    print(json.dumps(row, indent=2))
