import ArgumentParser
import Foundation
import HealthKit
import HealthSystem
import Synchronization

/// Where the store is.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp("The store's file (default: \(Setting.store.standardText)).", valueName: "path"),
    completion: .file())
  var path: String?

  @Option(
    name: .customLong("person"),
    help: ArgumentHelp("Whose store, of hrgate people (default: the owner's).", valueName: "name"))
  var person: String?

  func validate() throws {
    if path != nil, person != nil {
      throw ValidationError("--store and --person both say which store; give one of them.")
    }
  }

  /// Which store is meant.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
  var choice: StoreChoice {
    get throws { try StoreChoice(path: path, person: person, Settings.current) }
  }

  /// Where it is, or would be.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
  var file: String {
    get throws { try choice.file }
  }

  /// Opens the store for writing, and makes it where there is none.
  func open() throws -> HKHealthStore { try Self.open(file) }

  static func open(_ file: String) throws -> HKHealthStore {
    do {
      return try HKHealthStore(storeAt: file)
    } catch {
      throw Failure("the store \(file) cannot be opened: \(error.localizedDescription)")
    }
  }

  /// Does something with the file as a whole.
  func named<Value>(_ body: (String) throws -> Value) throws -> Value {
    let file = try file
    do {
      return try body(file)
    } catch let error as HKError {
      throw Failure(error.localizedDescription)
    }
  }

  /// Opens a store that must be there: asking a store that does not exist is a mistake in its name.
  func openExisting() throws -> HKHealthStore {
    let file = try file
    guard FileManager.default.fileExists(atPath: file) else { throw Failure("there is no store at \(file)") }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    // Opened for writing, an empty file would become a store, whoever's it was.
    guard (attributes?[.size] as? NSNumber)?.intValue != 0 else {
      throw Failure("\(file) is empty, and not a health store")
    }
    return try open()
  }

  /// Opens the store if it is there, and makes none.
  static func openIfPresent(_ file: String) throws -> HKHealthStore? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    guard let size = attributes?[.size] as? NSNumber, size.intValue > 0 else { return nil }
    return try open(file)
  }

  /// Opens a store to print what is in it. An empty one is an error like a missing one.
  /// - Parameter skippingDamage: Whether reads skip damaged blocks. ``SkippedBlocks`` reports them when the
  ///   command ends, and its exit status is 1.
  func openForReading(skippingDamage: Bool = true) async throws -> HKHealthStore {
    var store = try openExisting()
    if skippingDamage {
      store = try store.skippingDamagedBlocks()
      SkippedBlocks.watch(try SystemStore(store))
    }
    guard try await !SystemStore(store).isEmpty() else {
      throw try Failure(
        "the store \(file) is empty: nothing has been stored in it, and no monitor is enrolled")
    }
    return store
  }

  /// As `openForReading()`, for what only the user does.
  func openSystemForReading() async throws -> SystemStore { try SystemStore(await openForReading()) }

  /// As `open()`, for what only the user does.
  func openSystem() throws -> SystemStore { try SystemStore(open()) }

  /// As `openExisting()`, for what only the user does.
  func openExistingSystem() throws -> SystemStore { try SystemStore(openExisting()) }
}

/// The stores from which this command reads around damaged blocks.
enum SkippedBlocks {
  private static let stores = Mutex<[SystemStore]>([])

  static func watch(_ store: SystemStore) { stores.withLock { $0.append(store) } }

  /// Prints a line for each block that was skipped.
  /// - Returns: Whether there was one.
  static func report() -> Bool {
    let blocks = stores.withLock(\.self).flatMap(\.skippedBlocks)
    for block in blocks { StandardError.tell("left out: \(block)") }
    return !blocks.isEmpty
  }
}
