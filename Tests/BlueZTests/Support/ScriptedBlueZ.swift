import DBus
import Foundation
import Synchronization

@testable import TestSupport

/// `scripted_bluez.py`: an org.bluez on a private bus that executes the orders of a test.
final class ScriptedBlueZ: Sendable {
  struct Call: Sendable {
    let path: String
    let member: String
    /// The arguments as the script prints them.
    let arguments: String
  }

  struct ScriptError: Error {
    let reason: String
  }

  private struct Heard {
    var rest = Data()
    var calls: [Call] = []
    var done: [Int: String] = [:]
    var isReady = false
    var lastOrder = 0
  }

  let address: BusAddress
  private let bus: ScriptedBus
  private let heard = Mutex(Heard())

  static var isInstalled: Bool { ScriptedBus.isInstalled }

  /// - Parameter tree: The JSON of `--tree`.
  init(tree: String) throws {
    bus = try ScriptedBus(tree: tree)
    address = .address(bus.address)
    // Uses a thread instead of a readabilityHandler, because the process may crash if the file is closed
    // while libdispatch still watches it.
    let output = bus.output
    Thread { [weak self] in
      while true {
        let data = output.availableData
        if data.isEmpty { return }
        self?.hear(data)
      }
    }.start()
  }

  private func hear(_ data: Data) {
    heard.withLock { heard in
      heard.rest += data
      while let end = heard.rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = heard.rest[heard.rest.startIndex..<end]
        heard.rest = Data(heard.rest[heard.rest.index(after: end)...])
        guard let event = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
          continue
        }
        switch event["event"] as? String {
        case "ready": heard.isReady = true
        case "call":
          heard.calls.append(
            Call(
              path: event["path"] as? String ?? "", member: event["member"] as? String ?? "",
              arguments: "\(event["args"] ?? "")"))
        case "done", "failed":
          if let id = event["id"] as? Int { heard.done[id] = event["reason"] as? String ?? "" }
        default: break
        }
      }
    }
  }

  func waitUntilReady() async throws {
    guard await eventually({ heard.withLock(\.isReady) }) else { throw ScriptError(reason: "not ready") }
  }

  /// Executes an order, and waits until it is done.
  ///
  /// - Parameter order: The members of the JSON object without its braces.
  func order(_ order: String) async throws {
    let id = heard.withLock { heard in
      heard.lastOrder += 1
      return heard.lastOrder
    }
    try bus.input.write(contentsOf: Data("{\"id\": \(id), \(order)}\n".utf8))
    guard await eventually({ heard.withLock { $0.done[id] } != nil }) else {
      throw ScriptError(reason: "no answer")
    }
    if let reason = heard.withLock({ $0.done[id] }), !reason.isEmpty { throw ScriptError(reason: reason) }
  }

  var calls: [Call] { heard.withLock(\.calls) }

  func count(_ member: String) -> Int { calls.filter { $0.member == member }.count }
}
