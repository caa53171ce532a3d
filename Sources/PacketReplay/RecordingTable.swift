import PacketLog

/// Assigns the capture interfaces of a log to recordings, and gives each controller a number that is unique
/// among all recordings.
///
/// An interface that continues another one belongs to the same recording and has the same controllers.
/// Controllers of different recordings are different, even if both are number 0 in the log.
struct RecordingTable: Sendable {
  private struct Entry: Sendable {
    var interface: PacketLogRecord.Interface
    var recording: UInt32
  }

  private struct Controller: Hashable, Sendable {
    var recording: UInt32
    var number: UInt16
  }

  /// The interfaces seen in the current section.
  private var current: [Entry] = []
  /// The interfaces of the previous section, if the current one continues it.
  private var earlier: [Entry] = []
  /// Whether the previous section is from another log, so that equal numbers of interface names do not mean
  /// equal names.
  private var isEarlierLog = false
  private var nextRecording: UInt32 = 0
  private var latest: Entry?
  /// The unique numbers of controllers. Those of the first recording keep their numbers.
  private var controllers: [Controller: UInt16] = [:]
  private var nextController: UInt16 = 0x8000

  /// Handles the start of a section or log that continues the previous one.
  mutating func goOn(inAnotherLog isAnotherLog: Bool) {
    earlier = current
    isEarlierLog = isAnotherLog
    current = []
    latest = nil
  }

  /// Returns the recording of an interface.
  /// - Parameters:
  ///   - interface: The interface of a record.
  ///   - predecessor: Returns the interface of this section that `interface` continues. Called if another
  ///     interface has the same name.
  ///   - onResumption: Called with a recording that the interface continues.
  @inline(__always)
  mutating func recording(
    of interface: PacketLogRecord.Interface, predecessor: () -> UInt32?, onResumption: (UInt32) -> Void
  ) -> UInt32 {
    if let latest, latest.interface == interface { return latest.recording }
    return find(interface, predecessor, onResumption)
  }

  /// Returns the unique number of a controller.
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
