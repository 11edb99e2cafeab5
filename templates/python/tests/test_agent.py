import unittest

from langgraph.checkpoint.memory import MemorySaver
from langgraph.types import Command

from agent import create_agent
from scripted_model import ScriptedModel


class AgentTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.graph = create_agent(ScriptedModel()).compile(checkpointer=MemorySaver())
        self.config = {"configurable": {"thread_id": "1"}}

    async def ask(self, content: str) -> dict:
        return await self.graph.ainvoke({"messages": [{"role": "user", "content": content}]}, self.config)

    async def decide(self, approved: bool) -> str:
        state = await self.graph.ainvoke(Command(resume=approved), self.config)
        return state["messages"][-1].content

    async def test_looks_up_an_order(self) -> None:
        state = await self.ask("What is in order 1001?")
        self.assertEqual(state["messages"][-1].content, "Order 1001 is a teapot for €24.")

    async def test_refunds_an_order_once_a_person_approves(self) -> None:
        state = await self.ask("Please refund order 1001")
        self.assertEqual(
            [found.value for found in state["__interrupt__"]],
            [{"action": "refund", "order_id": "1001", "amount": 24}],
        )
        self.assertEqual(await self.decide(True), "Refunded €24 for order 1001.")

    async def test_refunds_nothing_when_a_person_declines(self) -> None:
        await self.ask("Please refund order 1002")
        self.assertEqual(await self.decide(False), "The refund was declined.")


if __name__ == "__main__":
    unittest.main()
