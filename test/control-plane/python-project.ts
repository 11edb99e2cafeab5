export const AGENT = `from typing_extensions import TypedDict
from langgraph.graph import START, StateGraph
from tools.words import WORDS

class State(TypedDict):
    said: str

graph = StateGraph(State).add_node("say", lambda state: {"said": WORDS}).add_edge(START, "say").compile()
`;
export const PYPROJECT = `[project]
name = "agent"
version = "0.0.1"
requires-python = ">=3.10"
dependencies = ["langgraph>=1,<2", "charset-normalizer"]

[build-system]
requires = ["setuptools>=73"]
build-backend = "setuptools.build_meta"

[tool.setuptools]
packages = ["tools"]

[tool.setuptools.package-dir]
tools = "src/tools"
`;
export const PYTHON_PROJECT = {
  'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
  'agent.py': AGENT,
  'src/tools/words.py': 'WORDS = "hi"\n',
};
