"""Stands in for AWS Lambda on one machine: runs a function as the service does, and speaks to it as the service does.

functions       what the four functions are: handler, limits, variables
service         events in, replies out, one at a time
environment     the processes that serve them: started, frozen, killed
runtime_api     the HTTP side that these processes see: Runtime API and Extensions API
function_url    HTTP requests as events, replies as HTTP responses
web_adapter     the Lambda Web Adapter, through which Python streams
wire            HTTP/1.1 with request bodies chunk by chunk
"""
