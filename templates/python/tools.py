from langchain_core.tools import tool
from langgraph.types import interrupt

ORDERS = {"1001": ("a teapot", 24), "1002": ("two cups", 12)}


@tool
def look_up_order(order_id: str) -> str:
    """Look up an order"""
    if order_id not in ORDERS:
        return f"There is no order {order_id}."
    item, price = ORDERS[order_id]
    return f"Order {order_id} is {item} for €{price}."


@tool
def refund_order(order_id: str) -> str:
    """Refund an order; a person has to approve it"""
    if order_id not in ORDERS:
        return f"There is no order {order_id}."
    _, price = ORDERS[order_id]
    # The run stops here, for as long as it takes, until it is resumed with `True` or `False`.
    approved = interrupt({"action": "refund", "order_id": order_id, "amount": price})
    return f"Refunded €{price} for order {order_id}." if approved else "The refund was declined."


tools = [look_up_order, refund_order]
