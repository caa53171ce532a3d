import ArgumentParser
import Foundation
import HealthKit
import HealthSystem
import Synchronization

/// The options that choose the database file with the health data.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "Path of the database file with the health data (default: \(Setting.store.standardText)).",
      valueName: "path"),
    completion: .file())
  var path: String?

  @Option(
    name: .customLong("person"),
    help: ArgumentHelp(
      "The person whose health data to use: a name that 'hrgate people' lists, or owner for yourself (default: yourself; for run, record, replay and doctor: all people).",
      valueName: "name"))
  var person: String?

  func validate() throws {
    if path != nil, person != nil {
      throw ValidationError("--store and --person cannot be used together.")
    }
  }

  /// The chosen store.
  ///
  /// - Throws: `ConfigurationError`, or ``CommandError`` for an unknown person.
  var choice: StoreChoice {
    get throws { try StoreChoice(path: path, person: person, Settings.current) }
  }

  /// The path of the store, which need not exist.
  ///
  /// - Throws: `ConfigurationError`, or ``CommandError`` for an unknown person.
  var file: String {
    get throws { try choice.file }
  }

  /// Opens the store for writing, and creates it if it does not exist.
  func open() throws -> HKHealthStore { try Self.open(file) }

  static func open(_ file: String) throws -> HKHealthStore {
    do {
      return try HKHealthStore(storeAt: file)
    } catch {
      throw CommandError("the store \(file) cannot be opened: \(error.localizedDescription)")
    }
  }

  /// Calls `body` with the path of the store.
  func named<Value>(_ body: (String) throws -> Value) throws -> Value {
    let file = try file
    do {
      return try body(file)
    } catch let error as HKError {
      throw CommandError(error.localizedDescription)
    }
  }

  /// The error for a missing database file.
  static func missing(_ file: String) -> String {
    "there is no store at \(file); hrgate pair creates it, or give another file with --store"
  }

  /// Opens an existing store. A missing file is reported as a probable typo in the path.
  func openExisting() throws -> HKHealthStore {
    let file = try file
    guard FileManager.default.fileExists(atPath: file) else { throw CommandError(Self.missing(file)) }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    // Opening for writing would turn any empty file into a store.
    guard (attributes?[.size] as? NSNumber)?.intValue != 0 else {
      throw CommandError("\(file) is an empty file, not a health store; give another file with --store")
    }
    return try open()
  }

  /// Opens the store if it exists, and does not create it.
  static func openIfPresent(_ file: String) throws -> HKHealthStore? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    guard let size = attributes?[.size] as? NSNumber, size.intValue > 0 else { return nil }
    return try open(file)
  }

  /// Opens a store to print its contents. Throws an error if the store is missing or empty.
  /// - Parameter skippingDamage: Whether reads skip damaged segments. If they do, the command reports the
  ///   skipped segments at its end (``SkippedBlocks``) and exits with status 1.
  func openForReading(skippingDamage: Bool = true) async throws -> HKHealthStore {
    var store = try openExisting()
    if skippingDamage {
      store = try store.skippingDamagedBlocks()
      SkippedBlocks.watch(try SystemStore(store))
    }
    guard try await !SystemStore(store).isEmpty() else {
      throw try CommandError(
        "the store \(file) is empty: pair a monitor (hrgate pair) or import data (hrgate import) first")
    }
    return store
  }

  /// Like `openForReading()`. The returned store also allows operations that applications must not perform.
  func openSystemForReading() async throws -> SystemStore { try SystemStore(await openForReading()) }

  /// Like `open()`. The returned store also allows operations that applications must not perform.
  func openSystem() throws -> SystemStore { try SystemStore(open()) }

  /// Like `openExisting()`. The returned store also allows operations that applications must not perform.
  func openExistingSystem() throws -> SystemStore { try SystemStore(openExisting()) }
}

/// The segments that this command has skipped in its stores because they are damaged.
enum SkippedBlocks {
  private static let stores = Mutex<[SystemStore]>([])

  static func watch(_ store: SystemStore) { stores.withLock { $0.append(store) } }

  /// Prints a line for each skipped segment.
  ///
  /// - Returns: Whether any segment was skipped.
  static func report() -> Bool {
    let blocks = stores.withLock(\.self).flatMap(\.skippedBlocks)
    for block in blocks { StandardError.print("left out: \(block)") }
    return !blocks.isEmpty
  }
}
