from uuid import uuid4

from langchain_core.prompts import ChatPromptTemplate
from langsmith.schemas import FileEntry
from langsmith.utils import LangSmithConflictError, LangSmithNotFoundError

from cases import case, equal, refused


@case("hub: a prompt is pushed, pulled as it was, tagged, liked, listed and deleted")
def prompts(world):
    client, name = world.client, f"prompt-{uuid4()}"
    prompt = ChatPromptTemplate.from_messages([("system", "Be {mood}."), ("human", "{q}")])
    url = client.push_prompt(name, object=prompt, description="asks", tags=["t"], commit_tags=["production"])
    assert name in url, url
    equal(client.pull_prompt(name, skip_cache=True).invoke({"mood": "kind", "q": "?"}).messages[0].content, "Be kind.")
    first = client.pull_prompt_commit(name).commit_hash
    refused(LangSmithConflictError, lambda: client.create_commit(name, object=prompt, parent_commit_hash=first))
    client.push_prompt(name, object=ChatPromptTemplate.from_messages([("human", "{q}!")]))
    equal(len(list(client.list_prompt_commits(name))), 2)
    equal(client.pull_prompt_commit(f"{name}:production").commit_hash, first)
    equal(client.pull_prompt_commit(f"{name}:{first[:8]}").commit_hash, first)
    client.like_prompt(name)
    equal(client.get_prompt(name).num_likes, 1)
    client.unlike_prompt(name)
    client.update_prompt(name, description="asks more", is_archived=True)
    equal(client.get_prompt(name).description, "asks more")
    equal([one.repo_handle for one in client.list_prompts(query=name, is_archived=True).repos], [name])
    client.delete_prompt(name)
    refused(LangSmithNotFoundError, lambda: client.pull_prompt_commit(name, skip_cache=True))


@case("hub: agents and skills are directories")
def directories(world):
    client, name = world.client, f"agent-{uuid4()}"
    file = FileEntry(content="be kind")
    url = client.push_agent(name, files={"AGENTS.md": file})
    assert name in url, url
    equal(client.pull_agent(name).files["AGENTS.md"].content, "be kind")
    equal([repo.repo_handle for repo in client.list_agents(query=name).repos], [name])
    client.delete_agent(name)
