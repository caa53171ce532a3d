import DBus
import Synchronization

/// Clients that watch measurements, by their unique bus names. A client is removed when it leaves the bus.
final class Watchers: Sendable {
  private static let most = 64

  private struct Watcher {
    let name: String
    /// The changes of the owner of the bus name ``name``. The first change means that the client has left the
    /// bus.
    let ownerChanges: SignalSequence
  }

  private let names = Mutex<Set<String>>([])
  private let arrivals: AsyncStream<Watcher>
  private let arrival: AsyncStream<Watcher>.Continuation
  private let report: @Sendable (Bool) -> Void

  /// - Parameter report: Called with whether any client watches, after each possible change. It must not
  ///   block.
  init(_ report: @escaping @Sendable (Bool) -> Void) {
    self.report = report
    (arrivals, arrival) = AsyncStream.makeStream()
  }

  /// Returns the `Watch` method.
  func method(on connection: BusConnection) -> ExportedMethod {
    ExportedMethod(name: GatewayBusNames.watch) { [self] call throws(BusError) in
      if let name = call.sender { try await add(name, on: connection) }
      return []
    }
  }

  private func add(_ name: String, on connection: BusConnection) async throws(BusError) {
    let (isNew, hasRoom) = change { names in
      let hasRoom = names.count < Self.most || names.contains(name)
      return (hasRoom && names.insert(name).inserted, hasRoom)
    }
    guard hasRoom else {
      throw BusError(
        .limitsExceeded, "\(Self.most) clients already watch the measurements, which is the maximum")
    }
    guard isNew else { return }
    do throws(BusError) {
      let ownerChanges = try await connection.signals(matching: [.ownerChanges(of: name)])
      // The client may have left before the subscription.
      guard try await connection.nameOwner(name) != nil else { return remove(name) }
      arrival.yield(Watcher(name: name, ownerChanges: ownerChanges))
    } catch {
      remove(name)
      throw error
    }
  }

  /// Removes each client that leaves the bus, until the task is canceled.
  func follow() async {
    await withDiscardingTaskGroup { group in
      for await watcher in arrivals {
        group.addTask {
          for await _ in watcher.ownerChanges { break }
          self.remove(watcher.name)
        }
      }
    }
  }

  private func remove(_ name: String) { change { _ = $0.remove(name) } }

  /// Changes the set of clients, and reports the result while the lock is held, so that reports are in order.
  private func change<Result: Sendable>(_ body: (inout Set<String>) -> Result) -> Result {
    names.withLock { names in
      defer { report(!names.isEmpty) }
      return body(&names)
    }
  }
}
