"""AWS through boto3: S3, SQS, EventBridge and Bedrock."""
