import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthSystem
import Synchronization

/// The stores whose monitors are recorded: the named store; or those of the account owner and of all people,
/// as for the gateway.
struct RecordedStores: Sendable {
  /// Polling interval for people who were added or are being removed.
  private static let look = Duration.seconds(1)

  /// Path of the store that is always recorded.
  let main: String
  /// `nil` if only the main store is recorded.
  let people: People?

  /// - Throws: `ConfigurationError`; ``CommandError`` if the person or the store does not exist.
  init(_ options: StoreOptions, of user: StoreUser) throws {
    let choice = try options.choice(of: user)
    main = choice.file(in: user.home)
    if case .owner(file: _, isNamed: false) = choice { people = People(user.home) } else { people = nil }
    let present = try PersonError.translating { () throws(PersonError) in try stores() }
    guard present.contains(where: Self.isThere) else { throw CommandError(StoreOptions.missing(main)) }
  }

  private func stores() throws(PersonError) -> [String] {
    guard let people else { return [main] }
    return [main] + (try people.present()).map { people.home.people.store(of: $0) }
  }

  /// Whether the file exists and is not empty. Opening an empty file would create a store in it.
  private static func isThere(_ path: String) -> Bool {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
    return (size?.intValue ?? 0) > 0
  }

  /// Reads the enrolled monitors of all stores that are recorded.
  /// - Returns: The addresses of the monitors.
  /// - Throws: ``CommandError`` if a store cannot be opened.
  func monitors() async throws -> Set<BluetoothAddress> {
    var addresses: Set<BluetoothAddress> = []
    for path in try PersonError.translating({ () throws(PersonError) in try stores() })
    where Self.isThere(path) {
      do {
        addresses.formUnion(try await MonitorRegistry(HKHealthStore(storeAt: path)).monitors().map(\.address))
      } catch {
        throw CommandError("the store \(path) cannot be opened: \(error.localizedDescription)")
      }
    }
    return addresses
  }

  /// Reports all enrolled monitors after each possible change, until the task is canceled. A store that
  /// cannot be read keeps its last known monitors.
  func watch(_ report: @escaping @Sendable (Set<BluetoothAddress>) -> Void) async {
    let known = Mutex<[String: Set<BluetoothAddress>]>([:])
    let put: @Sendable (String, Set<BluetoothAddress>?) -> Void = { path, monitors in
      report(
        known.withLock { known in
          known[path] = monitors
          return known.values.reduce(into: []) { $0.formUnion($1) }
        })
    }
    await withDiscardingTaskGroup { group in
      var watched: [String: Task<Void, Never>] = [:]
      while !Task.isCancelled {
        if let stores = try? stores() {
          // A person can only be removed while no program has the store open, so close it.
          for path in watched.keys where !stores.contains(path) {
            let task = watched.removeValue(forKey: path)
            task?.cancel()
            await task?.value
            put(path, nil)
          }
          for path in stores where watched[path] == nil && Self.isThere(path) {
            let task = Task { await Self.follow(path) { put(path, $0) } }
            watched[path] = task
            group.addTask { await task.value }
          }
        }
        try? await Task.sleep(for: Self.look)
      }
      for task in watched.values { task.cancel() }
    }
  }

  private static func follow(_ path: String, _ put: (Set<BluetoothAddress>) -> Void) async {
    while !Task.isCancelled {
      do {
        let registry = try MonitorRegistry(HKHealthStore(storeAt: path))
        // Subscribe before the query, so that no change is missed.
        let changes = try await registry.changes()
        put(Set(try await registry.monitors().map(\.address)))
        for await _ in changes {
          guard let monitors = try? await registry.monitors() else { continue }
          put(Set(monitors.map(\.address)))
        }
        return
      } catch {
        try? await Task.sleep(for: look)
      }
    }
  }
}
