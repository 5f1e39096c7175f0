// The API's reference, drawn from /openapi.json by Swagger UI. Nothing is sent to anybody else.
window.SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list", validatorUrl: null });
