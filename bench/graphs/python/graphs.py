"""The benchmark's graphs in Python; bench/graphs has the same in TypeScript."""

import asyncio
import operator
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.types import StreamWriter


class EchoState(TypedDict, total=False):
    text: str
    reply: str
    turns: Annotated[int, operator.add]
    said: Annotated[list[str], operator.add]


async def answer(state: EchoState) -> EchoState:
    return {"reply": f"echo {state['text']}", "turns": 1, "said": [state["text"]]}


echo = StateGraph(EchoState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()


def count(before: int, more: int) -> int:
    return 0 if more == 0 else before + more


class StepsState(TypedDict, total=False):
    steps: int
    done: Annotated[int, count]


async def begin(_state: StepsState) -> StepsState:
    return {"done": 0}


async def step(_state: StepsState) -> StepsState:
    return {"done": 1}


steps = (
    StateGraph(StepsState)
    .add_node(begin)
    .add_node(step)
    .add_edge(START, "begin")
    .add_edge("begin", "step")
    .add_conditional_edges("step", lambda state: "step" if state["done"] < state["steps"] else END)
    .compile()
)

cut_short = 0


class SleepState(TypedDict, total=False):
    ms: int
    slept: int
    cut_short: int


async def wait(state: SleepState) -> SleepState:
    global cut_short
    try:
        await asyncio.sleep(state["ms"] / 1000)
    except asyncio.CancelledError:
        cut_short += 1
        raise
    return {"slept": state["ms"], "cut_short": cut_short}


sleep = StateGraph(SleepState).add_node(wait).add_edge(START, "wait").add_edge("wait", END).compile()


def token(index: int) -> str:
    return f"token{index} "


class Speaker(BaseChatModel):
    """Streams the requested number of tokens as fast as it can."""

    tokens: int

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(self, *_args: Any, **_kwargs: Any) -> ChatResult:
        raise NotImplementedError("The speaker only streams")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for index in range(self.tokens):
            position = "last" if index == self.tokens - 1 else None
            message = AIMessageChunk(content=token(index), id="speech", chunk_position=position)
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(token(index), chunk=chunk)
            yield chunk


class TokensState(TypedDict, total=False):
    messages: int
    custom: int
    sent: int


# Yields to the event loop now and then, as a real source does.
EVENTS_A_TURN = 16


async def speak(state: TokensState, *, writer: StreamWriter) -> TokensState:
    messages, custom = state.get("messages", 0), state.get("custom", 0)
    for index in range(custom):
        writer({"index": index, "text": token(index)})
        if index % EVENTS_A_TURN == 0:
            await asyncio.sleep(0)
    if messages > 0:
        await Speaker(tokens=messages).ainvoke("speak")
    return {"sent": messages + custom}


tokens = StateGraph(TokensState).add_node(speak).add_edge(START, "speak").add_edge("speak", END).compile()
