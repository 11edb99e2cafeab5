"""A server that answers as OpenAI and Anthropic do: with a call of a tool first, then with text."""

import json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPENAI_TOOL = {"id":"chatcmpl-1","object":"chat.completion","created":1748772000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":None,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Oslo\"}"}}]}}],"usage":{"prompt_tokens":50,"completion_tokens":12,"total_tokens":62,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":4}}}
OPENAI_TEXT = {**OPENAI_TOOL,"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"It is sunny."}}]}
ANT_TOOL = {"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","stop_reason":"tool_use","stop_sequence":None,"content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}],"usage":{"input_tokens":30,"output_tokens":9,"cache_read_input_tokens":100,"cache_creation_input_tokens":40}}
ANT_TEXT = {**ANT_TOOL,"stop_reason":"end_turn","content":[{"type":"text","text":"It is sunny."}]}

class H(BaseHTTPRequestHandler):
    def log_message(self,*a): pass
    def do_POST(self):
        body=json.loads(self.rfile.read(int(self.headers['content-length'])))
        text=json.dumps(body)
        done='"tool"' in text or 'tool_result' in text
        def reply(code,obj):
            d=json.dumps(obj).encode(); self.send_response(code); self.send_header('content-type','application/json'); self.send_header('content-length',str(len(d))); self.end_headers(); self.wfile.write(d)
        if 'fail' in text:
            return reply(400,{"type":"error","error":{"type":"invalid_request_error","message":"bad prompt"}})
        if body.get('stream') and 'messages' in self.path and 'chat' not in self.path:
            return self.sse_anthropic(ANT_TEXT if done else ANT_TOOL)
        if body.get('stream'):
            return self.sse_openai(OPENAI_TEXT if done or not body.get('tools') else OPENAI_TOOL)
        if 'chat' in self.path: return reply(200, OPENAI_TEXT if done or not body.get('tools') else OPENAI_TOOL)
        return reply(200, ANT_TEXT if done or not body.get('tools') else ANT_TOOL)
    def sse_openai(self,obj):
        self.send_response(200); self.send_header('content-type','text/event-stream'); self.end_headers()
        m=obj['choices'][0]['message']
        delta={"role":"assistant","content":m.get('content')}
        if m.get('tool_calls'): delta['tool_calls']=[{**c,"index":i} for i,c in enumerate(m['tool_calls'])]
        for ch in ({"choices":[{"index":0,"delta":delta,"finish_reason":None}]},{"choices":[{"index":0,"delta":{},"finish_reason":obj['choices'][0]['finish_reason']}]},{"choices":[],"usage":obj['usage']}):
            self.wfile.write(('data: '+json.dumps({"id":obj['id'],"object":"chat.completion.chunk","created":1,"model":obj['model'],**ch})+'\n\n').encode())
        self.wfile.write(b'data: [DONE]\n\n')
    def sse_anthropic(self,obj):
        self.send_response(200); self.send_header('content-type','text/event-stream'); self.end_headers()
        ev=[("message_start",{"type":"message_start","message":{**obj,"content":[],"stop_reason":None}})]
        for i,c in enumerate(obj['content']):
            if c['type']=='text': ev+= [("content_block_start",{"type":"content_block_start","index":i,"content_block":{"type":"text","text":""}}),("content_block_delta",{"type":"content_block_delta","index":i,"delta":{"type":"text_delta","text":c['text']}})]
            else: ev+= [("content_block_start",{"type":"content_block_start","index":i,"content_block":{**c,"input":{}}}),("content_block_delta",{"type":"content_block_delta","index":i,"delta":{"type":"input_json_delta","partial_json":json.dumps(c['input'])}})]
            ev.append(("content_block_stop",{"type":"content_block_stop","index":i}))
        ev+= [("message_delta",{"type":"message_delta","delta":{"stop_reason":obj['stop_reason'],"stop_sequence":None},"usage":{"output_tokens":9}}),("message_stop",{"type":"message_stop"})]
        for n,d in ev: self.wfile.write((f'event: {n}\ndata: '+json.dumps(d)+'\n\n').encode())

def start():
    s=ThreadingHTTPServer(('127.0.0.1',0),H); threading.Thread(target=s.serve_forever,daemon=True).start()
    return f'http://127.0.0.1:{s.server_port}'
