import re
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable


class ScriptedModel(BaseChatModel):
    """Stands in for a model, without a key or a network: it answers by fixed rules. Keep it for tests."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_reply_to(messages))])


def _reply_to(messages: list[BaseMessage]) -> AIMessage:
    last = messages[-1]
    text = str(last.content)
    order = re.search(r"\d+", text)
    if isinstance(last, ToolMessage):
        return AIMessage(text)
    if not order:
        return AIMessage('Ask me about an order, such as "refund order 1001".')
    name = "refund_order" if re.search("refund", text, re.IGNORECASE) else "look_up_order"
    call = {"name": name, "args": {"order_id": order[0]}, "id": f"call-{len(messages)}"}
    return AIMessage("", tool_calls=[call])
