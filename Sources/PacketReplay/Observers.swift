import Bluetooth
import PacketLog

/// The two observers of a log: one for the traffic of a host (HCI), and one for packets on the air (link
/// layer).
struct Observers: Sendable {
  private var hci = HCIObserver()
  private var linkLayer = LinkLayerObserver()
  private var table = RecordingTable()
  /// Whether a section has started without a record so far.
  private var isAtSection = false
  /// Recordings that continue an earlier one and have had no traffic yet. A monitor log starts with the
  /// existing controllers, and one from `hrgate record` also with the existing connections; these are not
  /// new.
  private var restating: Set<UInt32> = []

  /// Handles the start of a new log. Links are forgotten, but the knowledge about peers is kept.
  mutating func beginLog() {
    hci.beginLog()
    linkLayer.beginLog()
    table = RecordingTable()
    isAtSection = false
    restating = []
  }

  /// Handles the start of a log that continues the previous one.
  /// - Parameter afterDamage: Whether the previous log was damaged at its end, so that packets may be
  ///   missing.
  mutating func goOn(afterDamage: Bool) {
    isAtSection = false
    table.goOn(inAnotherLog: true)
    if afterDamage { losePackets() }
  }

  /// Processes a record.
  /// - Parameter report: Called with each event and its time.
  @inline(__always)
  mutating func observe(
    _ record: PacketLogRecord, _ bytes: RawSpan, _ sections: LogSections,
    report: (HostEvent, ReceiptTime) -> Void
  ) {
    if isAtSection { beginSection(at: record, sections, report) }
    let time = record.time
    switch record.content {
    case .section:
      sections.begin()
      isAtSection = true
      return
    case .hci(let type, let direction, let controller):
      let recording = recording(of: record, sections)
      let controller = table.controller(controller, of: recording)
      if !restating.isEmpty, restating.contains(recording) {
        if hci.isRestatement(bytes, type: type, controller: controller) { break }
        restating.remove(recording)
      }
      hci.observe(bytes, type: type, direction: direction, controller: controller) { report($0, time) }
    case .linkLayer(let reception):
      linkLayer.observe(bytes, reception: reception, time: time) { report($0, time) }
    case .controllerReset(let controller):
      let recording = recording(of: record, sections)
      hci.observeController(
        table.controller(controller, of: recording), bytes, isRestated: restating.contains(recording)
      ) { report($0, time) }
    case .lost:
      losePackets()
    case .other:
      break
    }
    sections.read(record)
  }

  @inline(__always)
  private mutating func recording(of record: PacketLogRecord, _ sections: LogSections) -> UInt32 {
    var resumed: UInt32?
    let recording = table.recording(
      of: record.interface, predecessor: { sections.predecessor(of: record.interface.number) },
      onResumption: { resumed = $0 })
    if let resumed { restating.insert(resumed) }
    return recording
  }

  /// Handles the first record of a section. This record determines whether the section continues the previous
  /// one, because the section header has no time.
  private mutating func beginSection(
    at record: PacketLogRecord, _ sections: LogSections, _ report: (HostEvent, ReceiptTime) -> Void
  ) {
    switch record.content {
    case .section, .lost, .other:
      break
    case .hci, .linkLayer, .controllerReset:
      isAtSection = false
      if sections.goesOn(with: record) { return table.goOn(inAnotherLog: false) }
      let time = sections.end ?? record.time
      hci.beginSection { report($0, time) }
      linkLayer.beginSection { report($0, time) }
      table = RecordingTable()
      restating = []
    }
  }

  private mutating func losePackets() {
    hci.lostPackets()
    linkLayer.lostPackets()
  }
}
