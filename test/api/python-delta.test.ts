import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { hostPython } from '../support/python-project.ts';
import { useApi } from '../support/use-api.ts';

const TURNS = 4;
// Task ids are random: nine are almost never in the order of their nodes.
const AGENT = `import asyncio
import json
import sys
from typing import Annotated, TypedDict

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Send


def joined(log, writes):
    return [*log, *(line for lines in writes for line in lines)]


class State(TypedDict):
    log: Annotated[list, DeltaChannel(joined, snapshot_frequency=5)]


builder = StateGraph(State).add_node("each", lambda job: {"log": [f"each {job['item']}"]})
for name in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]:
    builder.add_node(name, lambda state, name=name: {"log": [name]}).add_edge(START, name)
builder.add_conditional_edges("one", lambda state: [Send("each", {"item": item}) for item in range(12)], ["each"])


async def main(durability):
    graph = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    for turn in range(${TURNS}):
        await graph.ainvoke({"log": [f"turn {turn}"]}, config, durability=durability)
    print(json.dumps([state.values.get("log") async for state in graph.aget_state_history(config)]))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
`;

const python = await hostPython();
const folder = mkdtempSync(join(tmpdir(), 'slipway-delta-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'agent.py'), AGENT);
writeFileSync(
  join(folder, 'langgraph.json'),
  JSON.stringify({ dependencies: ['.'], graphs: { delta: './agent.py:builder' } }),
);
const api = useApi({ config: join(folder, 'langgraph.json'), env: { SLIPWAY_PYTHON: python } });

test.each(['async', 'sync', 'exit'])(
  'a channel rebuilt from parallel writes has the values of the engine’s own checkpointer (%s)',
  async (durability) => {
    const { stdout } = await promisify(execFile)(python, [join(folder, 'agent.py'), durability]);
    const { thread_id } = (await api.post('/threads', {})).json;
    for (let turn = 0; turn < TURNS; turn++) {
      const run = { assistant_id: 'delta', input: { log: [`turn ${turn}`] }, durability };
      expect((await api.post(`/threads/${thread_id}/runs/wait`, run)).status).toBe(200);
    }
    const history = (await api.get(`/threads/${thread_id}/history?limit=100`)).json;
    const logs = history.map(({ values }: { values: { log?: string[] } }) => values.log ?? null);
    expect(logs).toEqual(JSON.parse(stdout));
  },
);
