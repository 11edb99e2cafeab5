import { streamGraph } from '../../src/graph-host/graphs/graph-stream.ts';
import { loadProject } from '../../src/graph-host/project/project.ts';
import { RunTranslator } from '../../src/agent-server/protocol/run-translator.ts';
import { readProjectConfig } from '../../src/agent-server/project/project-config.ts';
import type { RunRequest } from '../../src/graph-protocol/messages.ts';
import type { RunMode } from '../../src/agent-server/records/run.ts';

const MODES: RunMode[] = ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks', 'checkpoints'];

/** Streams a graph of a project as a run of the event protocol does; prints the drafts of its events. */
const [folder, graphId, input] = process.argv.slice(2) as [string, string, string];
const { file, dir, config: projectConfig } = readProjectConfig(folder);
const project = await loadProject({ dir, file, config: projectConfig }, () => {});
const source = project.require(graphId);
const graph = await source.instantiate({ checkpointer: new source.langgraph.MemorySaver() });
const translator = new RunTranslator({ graph_id: graphId, checkpoints: true });
const drafts = translator.translate('metadata', '{}', '0');
let id = 0;
const request = { stream_mode: MODES, subgraphs: true } as unknown as RunRequest;
const config = {
  runId: '018f6b1e-7b1a-7cc4-8a3e-0d4f8e2c1a2b',
  configurable: { thread_id: 't', checkpoint_ns: '' },
};
for await (const { event, data } of streamGraph({ graph, input: JSON.parse(input), request, config }))
  drafts.push(...translator.translate(event, data, String(++id)));
const { next } = (await graph.getState({ configurable: { thread_id: 't' } })) as { next: string[] };
drafts.push(...translator.finish(next.length > 0 ? 'interrupted' : 'completed'));
process.stdout.write(`\n${JSON.stringify(drafts)}`);
