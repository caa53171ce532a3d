import PacketLog

/// Which recording each interface of a log belongs to, and by which numbers the host stack knows its
/// controllers.
///
/// An interface and another that goes on where it ended are one recording, so a controller of theirs is one
/// controller. Controllers of two recordings are two, though both may be number 0.
struct RecordingTable: Sendable {
  private struct Entry: Sendable {
    var interface: PacketLogRecord.Interface
    var recording: UInt32
  }

  private struct Controller: Hashable, Sendable {
    var recording: UInt32
    var number: UInt16
  }

  /// The interfaces that spoke in this section.
  private var current: [Entry] = []
  /// Those of the section before, if this one goes on with it.
  private var earlier: [Entry] = []
  /// The earlier section is of another log, in which equal numbers of names mean nothing.
  private var isEarlierLog = false
  private var nextRecording: UInt32 = 0
  private var latest: Entry?
  /// The first recording keeps its controllers' numbers.
  private var controllers: [Controller: UInt16] = [:]
  private var nextController: UInt16 = 0x8000

  /// A section, or another log, begins that goes on with the one before.
  mutating func goOn(inAnotherLog isAnotherLog: Bool) {
    earlier = current
    isEarlierLog = isAnotherLog
    current = []
    latest = nil
  }

  /// The recording of an interface.
  ///
  /// - Parameters:
  ///   - predecessor: The interface of this section that it continues; asked if another one has its name.
  ///   - onResumption: Called if it continues a recording.
  @inline(__always)
  mutating func recording(
    of interface: PacketLogRecord.Interface, predecessor: () -> UInt32?, onResumption: (UInt32) -> Void
  ) -> UInt32 {
    if let latest, latest.interface == interface { return latest.recording }
    return find(interface, predecessor, onResumption)
  }

  /// The number by which the host stack knows a controller.
  @inline(__always)
  mutating func controller(_ number: UInt16, of recording: UInt32) -> UInt16 {
    recording == 0 ? number : find(Controller(recording: recording, number: number))
  }

  private mutating func find(
    _ interface: PacketLogRecord.Interface, _ predecessor: () -> UInt32?, _ onResumption: (UInt32) -> Void
  ) -> UInt32 {
    if let entry = current.first(where: { $0.interface == interface }) {
      latest = entry
      return entry.recording
    }
    let resumed = resumedRecording(interface, predecessor)
    let entry = Entry(interface: interface, recording: resumed ?? nextRecording)
    if let resumed { onResumption(resumed) } else { nextRecording &+= 1 }
    current.append(entry)
    latest = entry
    return entry.recording
  }

  private func resumedRecording(
    _ interface: PacketLogRecord.Interface, _ predecessor: () -> UInt32?
  ) -> UInt32? {
    if current.contains(where: { $0.interface.name == interface.name }), let before = predecessor(),
      let entry = current.first(where: { $0.interface.number == before })
    {
      return entry.recording
    }
    let sameNumber = earlier.first { $0.interface.number == interface.number }
    if isEarlierLog { return sameNumber?.recording }
    if let sameNumber, sameNumber.interface.name == interface.name { return sameNumber.recording }
    let sameName = earlier.filter { $0.interface.name == interface.name }
    return sameName.count == 1 ? sameName[0].recording : nil
  }

  private mutating func find(_ controller: Controller) -> UInt16 {
    if let number = controllers[controller] { return number }
    defer { nextController = nextController == .max ? 0x8000 : nextController + 1 }
    controllers[controller] = nextController
    return nextController
  }
}
