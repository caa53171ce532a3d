import Bluetooth
import PacketLog

/// The latest messages about the state of each controller. They are repeated at the start of each new file,
/// as the kernel does for each new listener.
struct ControllerNotes {
  private struct Notes {
    var appearance: MonitorMessage?
    var opening: MonitorMessage?
    var information: MonitorMessage?
  }

  private var notes: [UInt16: Notes] = [:]

  mutating func take(_ message: MonitorMessage) {
    let controller = message.controller
    switch message.opcode {
    case MonitorOpcode.newIndex: notes[controller] = Notes(appearance: message)
    case MonitorOpcode.openIndex: notes[controller, default: Notes()].opening = message
    case MonitorOpcode.closeIndex: notes[controller]?.opening = nil
    case MonitorOpcode.indexInformation: notes[controller, default: Notes()].information = message
    case MonitorOpcode.deleteIndex: notes[controller] = nil
    default: break
    }
  }

  var messages: [MonitorMessage] {
    notes.sorted { $0.key < $1.key }.flatMap {
      [$1.appearance, $1.opening, $1.information].compactMap(\.self)
    }
  }
}

/// The connection events of open connections. They are repeated at the start of each new file, so that it can
/// be read without the previous files.
struct LinkNotes {
  private struct Place: Hashable {
    var controller: UInt16
    var handle: UInt16
  }

  private var beginnings: [Place: MonitorMessage] = [:]

  mutating func take(_ message: MonitorMessage) {
    let controller = message.controller
    switch PacketSubject(message) {
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

  /// The connection events in chronological order, each preceded by a text message that explains it.
  var messages: [MonitorMessage] {
    beginnings.sorted { ($0.value.time, $0.key.handle) < ($1.value.time, $1.key.handle) }.flatMap {
      let beginning = $0.value
      return [
        LinkBeginning.note(
          "the next event reports a link that was open before this file", controller: beginning.controller,
          at: beginning.time), beginning,
      ]
    }
  }
}
