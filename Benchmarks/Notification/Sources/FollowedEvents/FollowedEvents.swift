import BlueZ
import Bluetooth
import DBus
import Dispatch
import Glibc

/// Subscribes to straps, and reads and discards COUNT notifications. This measures the cost of a notification
/// from the socket to the pipeline.
///
///     FollowedEvents BUS COUNT ADDRESS…
@main
enum FollowedEvents {
  // Not async: the main thread of an async `main` would exit, and valgrind would stop with it.
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count > 2, let wanted = arguments.dropFirst().first.flatMap({ Int($0) }) else {
      print("usage: FollowedEvents BUS COUNT ADDRESS…")
      exit(2)
    }
    let bus = arguments.first ?? ""
    let monitors = arguments.dropFirst(2).compactMap {
      BluetoothAddress($0, kind: .random).map { FollowedMonitor(address: $0) }
    }
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await follow(monitors, on: bus, until: wanted)
      } catch {
        print(error)
        exit(1)
      }
      isDone.signal()
    }
    isDone.wait()
    exit(0)
  }

  private static func follow(_ monitors: [FollowedMonitor], on bus: String, until wanted: Int) async throws {
    let central = BlueZCentral(bus: .address(bus), gathering: .seconds(1)) { _ in }
    await central.follow(monitors)
    async let following: Void = central.run()
    var count = 0
    for try await events in central.events() {
      for case .notified in events { count += 1 }
      if count >= wanted { break }
    }
    print("notified", count)
    exit(0)
  }
}
