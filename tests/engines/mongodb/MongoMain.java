import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.File;
import java.util.List;

/** mongo-java-server in memory, on a free port of the loopback address. */
public final class MongoMain {
  public static void main(String[] arguments) throws Exception {
    MongoServer mongo = new MongoServer(new MemoryBackend().version(new Mongo44()));
    mongo.bind("127.0.0.1", 0);
    Owner.serve(mongo.getLocalAddress().getPort(), new File(arguments[0]));
  }

  /** The oldest version that PyMongo speaks to. */
  private static final class Mongo44 implements MongoVersion {
    public List<Integer> getVersionArray() {
      return List.of(4, 4, 0);
    }

    public int getWireVersion() {
      return 9;
    }
  }
}
