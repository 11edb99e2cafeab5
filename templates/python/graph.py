from agent import create_agent
from scripted_model import ScriptedModel

# Needs no key. For a real model, add "langchain-openai" to pyproject.toml, put its key in .env and write
#   model = ChatOpenAI(model="gpt-5-mini")
model = ScriptedModel()

graph = create_agent(model).compile()
