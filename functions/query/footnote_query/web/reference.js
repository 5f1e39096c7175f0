// The API reference, rendered from /openapi.json by Swagger UI without contacting other servers.
const spec = await (await fetch("openapi.json")).json();
const servers = [{ url: new URL(".", location).href.replace(/\/$/, "") }]; // a proxy may serve them below a path
window.SwaggerUIBundle({ spec: { ...spec, servers }, dom_id: "#reference", deepLinking: true, docExpansion: "list", validatorUrl: null });
