public import Foundation
import HealthStorage

/// The way to the health data: saves objects, executes queries. Safe to use from any thread; one instance for a
/// program is enough.
///
/// On Linux the data lie in one file, `$XDG_DATA_HOME/hrgate/health.sqlite` unless another is named, and a program is
/// known as the source whose bundle identifier is the name of its executable.
public final class HKHealthStore: NSObject, Sendable {
  let engine: StoreEngine
  /// Under which source objects are saved.
  let revision: HKSourceRevision

  private init(_ engine: StoreEngine, _ revision: HKSourceRevision) {
    self.engine = engine
    self.revision = revision
  }

  private static var thisProgram: HKSourceRevision { HKSourceRevision(source: .default(), version: nil) }

  /// The store of this user. It is opened at the first use; if that fails, the use fails with
  /// errorDatabaseInaccessible.
  public override convenience init() {
    self.init(StoreEngine(path: StoreEngine.defaultPath), Self.thisProgram)
  }

  /// The store in a file of the caller's choice, made if it is not there. (Not in Apple's framework.)
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason: not a health store, of a newer version, not
  ///   permitted.
  public convenience init(storeAt path: String) throws {
    do {
      self.init(StoreEngine(try SampleDatabase.open(at: path)), Self.thisProgram)
    } catch {
      throw HKError(error)
    }
  }

  /// An empty store in memory, for tests. (Not in Apple's framework.)
  public static func inMemory() throws -> HKHealthStore {
    do {
      return HKHealthStore(StoreEngine(try SampleDatabase.inMemory()), thisProgram)
    } catch {
      throw HKError(error)
    }
  }

  /// A handle on the same data that saves under another source, as the gateway does for each monitor.
  package func acting(as revision: HKSourceRevision) -> HKHealthStore {
    HKHealthStore(engine, revision)
  }

  package func acting(as source: HKSource) -> HKHealthStore {
    acting(as: HKSourceRevision(source: source, version: nil))
  }

  /// Always true here.
  public class func isHealthDataAvailable() -> Bool { true }
}
