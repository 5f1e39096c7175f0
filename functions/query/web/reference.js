// The API reference, rendered from /openapi.json by Swagger UI without contacting other servers.
window.SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list", validatorUrl: null });
