"""A chat agent that calls tools. Its model is scripted, and needs no key."""

from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from fake_chat_model import FakeChatModel


@tool
def get_weather(city: str) -> str:
    """The weather in a city, now"""
    return f"It is sunny in {city}, 21 degrees."


@tool
def add(a: float, b: float) -> str:
    """Adds two numbers"""
    return f"{a:g} + {b:g} = {a + b:g}"


tools = [get_weather, add]
model = FakeChatModel().bind_tools(tools)


async def call_model(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("model", call_model)
    .add_node("tools", ToolNode(tools))
    .add_edge(START, "model")
    .add_conditional_edges("model", tools_condition)
    .add_edge("tools", "model")
    .compile()
)
