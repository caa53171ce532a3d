import PacketLog

/// What the kernel said of the controllers that there are, for the beginning of each further file: as it
/// tells whoever begins to listen.
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
