"""An emulation of AWS Lambda on one machine.

functions       the four functions: handler, limits, variables
service         events in, responses out, one at a time
environment     the processes of an execution environment: started, frozen, killed
runtime_api     the HTTP APIs that these processes call: Runtime API and Extensions API
function_url    converts HTTP requests into events, and responses into HTTP responses
web_adapter     the Lambda Web Adapter, through which Python functions stream
wire            an HTTP/1.1 server with chunked request bodies and trailers
"""
