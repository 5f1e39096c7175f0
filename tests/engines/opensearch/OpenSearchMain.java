import java.nio.file.Path;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/** One node of OpenSearch on a free port of the loopback address; the working folder is its home, the argument holds its data. */
public final class OpenSearchMain {
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Path home = Path.of("").toAbsolutePath();
    System.setProperty("opensearch.set.netty.runtime.available.processors", "false"); // set once per process, by whoever is first
    Settings settings = Settings.builder()
      .put("path.home", home)
      .put("path.data", folder.resolve("data"))
      .put("path.logs", folder.resolve("logs"))
      .put("cluster.name", "footnote-tests")
      .put("discovery.type", "single-node")
      .put("network.host", "127.0.0.1")
      .put("http.port", 0)
      .put("transport.port", 0)
      .put("node.processors", 2)
      .put("cluster.routing.allocation.disk.threshold_enabled", false) // a disk that is nearly full would make indexes read-only
      .build();
    Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "test");
    Node node = new Node(environment);
    node.start();
    node.client().admin().cluster().prepareHealth().setWaitForYellowStatus().get();
    int port = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    Owner.serve(port, folder.toFile());
  }
}
