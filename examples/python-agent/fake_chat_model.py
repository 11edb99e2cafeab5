"""A model without a network, which always gives the same answer to the same conversation, word by word."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from hashlib import sha256
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage, message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable


class FakeChatModel(BaseChatModel):
    word_delay_seconds: float = 0.03

    @property
    def _llm_type(self) -> str:
        return "fake"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable:
        return self.bind(tool_names=[tool.name for tool in tools], **kwargs)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        first, *rest = _reply_chunks(messages, kwargs.get("tool_names", []))
        return ChatResult(generations=[ChatGeneration(message=message_chunk_to_message(sum(rest, first)))])

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for message in _reply_chunks(messages, kwargs.get("tool_names", [])):
            await asyncio.sleep(self.word_delay_seconds)
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _reply_chunks(messages: list[BaseMessage], tools: list[str]) -> Iterator[AIMessageChunk]:
    text, call = _reply_to(messages, tools)
    # The same id for all chunks, and if a node runs again.
    conversation = [[message.id, message.content] for message in messages]
    digest = sha256(json.dumps(conversation, default=str).encode()).hexdigest()[:24]
    for word in re.findall(r"\S+\s*", text):
        yield AIMessageChunk(id=f"fake-{digest}", content=word)
    if call:
        name, args = call
        piece = {"type": "tool_call_chunk", "index": 0, "id": f"call-{digest}", "name": name, "args": json.dumps(args)}
        yield AIMessageChunk(id=f"fake-{digest}", content="", tool_call_chunks=[piece])


def _reply_to(messages: list[BaseMessage], tools: list[str]) -> tuple[str, tuple[str, dict[str, Any]] | None]:
    """A tool's result in a sentence, a tool call if the question needs one, or an echo."""
    last = messages[-1]
    said = last.text if isinstance(last.text, str) else last.text()
    if isinstance(last, ToolMessage):
        return f"Here is what I found: {said}", None
    if "get_weather" in tools and re.search("weather", said, re.IGNORECASE):
        city = re.search(r"weather\b.*?\b(?:in|for)\s+([\w -]+)", said, re.IGNORECASE)
        return "Let me look that up.", ("get_weather", {"city": city[1].strip() if city else "Paris"})
    numbers = re.search(r"(-?\d+(?:\.\d+)?)\s*(?:\+|plus|and)\s*(-?\d+(?:\.\d+)?)", said, re.IGNORECASE)
    if "add" in tools and numbers:
        return "", ("add", {"a": float(numbers[1]), "b": float(numbers[2])})
    return f"You said: {said}", None
