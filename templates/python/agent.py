from langchain_core.language_models import BaseChatModel
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from tools import tools


def create_agent(model: BaseChatModel) -> StateGraph:
    """The agent: the model answers or calls tools, until it has an answer."""
    model_with_tools = model.bind_tools(tools)

    async def call_model(state: MessagesState) -> dict:
        return {"messages": [await model_with_tools.ainvoke(state["messages"])]}

    return (
        StateGraph(MessagesState)
        .add_node("model", call_model)
        .add_node("tools", ToolNode(tools))
        .add_edge(START, "model")
        .add_conditional_edges("model", tools_condition)
        .add_edge("tools", "model")
    )
