import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import java.io.File;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local in memory, on a free port of the loopback address: its own main listens on every address. */
public final class DynamoMain {
  public static void main(String[] arguments) throws Exception {
    String[] options = {"-inMemory", "-sharedDb", "-disableTelemetry"};
    DynamoDBProxyServer dynamo = ServerRunner.createServerFromCommandLineArgs(options);
    var field = DynamoDBProxyServer.class.getDeclaredField("server"); // there is no setting for the address
    field.setAccessible(true);
    ServerConnector connector = (ServerConnector) ((Server) field.get(dynamo)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    dynamo.start();
    Owner.serve(connector.getLocalPort(), new File(arguments[0]));
  }
}
