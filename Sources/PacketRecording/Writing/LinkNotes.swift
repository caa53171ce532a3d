import Bluetooth
import PacketLog

/// The links that stand, as the log tells their beginnings, for the beginning of each further file: so that
/// it says whose its packets are without those before it.
struct LinkNotes {
  private struct Place: Hashable {
    var controller: UInt16
    var handle: UInt16
  }

  private var beginnings: [Place: MonitorMessage] = [:]

  mutating func take(_ message: MonitorMessage) {
    let controller = message.controller
    switch PacketConcern(message) {
    case .connection(let handle, _, isSuccess: true):
      beginnings[Place(controller: controller, handle: handle)] = message
    case .disconnection(let handle): beginnings[Place(controller: controller, handle: handle)] = nil
    case .reset: forget(controller)
    case .presence where [MonitorOpcode.deleteIndex, MonitorOpcode.closeIndex].contains(message.opcode):
      forget(controller)
    default: break
    }
  }

  private mutating func forget(_ controller: UInt16) {
    beginnings = beginnings.filter { $0.key.controller != controller }
  }

  /// In the order in which the links began, each after a note that says what it is.
  var messages: [MonitorMessage] {
    beginnings.sorted { ($0.value.time, $0.key.handle) < ($1.value.time, $1.key.handle) }.flatMap {
      let beginning = $0.value
      return [
        LinkBeginning.note(
          "the next event tells a link that was there before this file", controller: beginning.controller,
          at: beginning.time), beginning,
      ]
    }
  }
}
