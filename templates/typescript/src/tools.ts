import { tool } from '@langchain/core/tools';
import { interrupt } from '@langchain/langgraph';
import { z } from 'zod';

const ORDERS: Record<string, { item: string; price: number }> = {
  '1001': { item: 'a teapot', price: 24 },
  '1002': { item: 'two cups', price: 12 },
};

const orderId = z.string().describe('The number of the order');

const lookUpOrder = tool(
  ({ order_id }) => {
    const order = ORDERS[order_id];
    return order
      ? `Order ${order_id} is ${order.item} for €${order.price}.`
      : `There is no order ${order_id}.`;
  },
  { name: 'look_up_order', description: 'Look up an order', schema: z.object({ order_id: orderId }) },
);

const refundOrder = tool(
  ({ order_id }) => {
    const order = ORDERS[order_id];
    if (!order) return `There is no order ${order_id}.`;
    // The run stops here, for as long as it takes, until it is resumed with `true` or `false`.
    const approved = interrupt<object, boolean>({ action: 'refund', order_id, amount: order.price });
    return approved ? `Refunded €${order.price} for order ${order_id}.` : `The refund was declined.`;
  },
  {
    name: 'refund_order',
    description: 'Refund an order; a person has to approve it',
    schema: z.object({ order_id: orderId }),
  },
);

export const tools = [lookUpOrder, refundOrder];
