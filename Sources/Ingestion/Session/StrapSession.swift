import Bluetooth
import BluetoothCentral
import GATT

/// The conversation with one strap: what it is, and what its frames become.
///
/// A pure reducer. Drafts wait here until the strap's description is known, because a central may deliver the first
/// measurements before it has read where the strap is worn and who made it: until the description is complete, but no
/// longer than ``patience`` by the frames' own clock, so that a replay and a live strap decide alike.
struct StrapSession {
  /// How long measurements wait for the strap's description, in microseconds of receipt time.
  static let patience: Int64 = 60_000_000
  /// How many drafts wait at most, whatever their times claim.
  static let maximumWaiting = 512

  private(set) var description: MonitorDescription
  private(set) var measurements = 0
  /// Deviations of frames and descriptions that were read over, by name.
  private(set) var anomalies: [String: Int] = [:]
  private(set) var isConnected = false
  private var clock = BeatClock()
  private var energy = EnergyTotal()
  private var isDescribed = false
  private var waitingSince: ReceiptTime?
  private var waiting: [SampleDraft] = []
  /// The drafts that wait for nothing any more.
  private(set) var ready: [SampleDraft] = []

  init(_ peripheral: PeripheralIdentity) { description = MonitorDescription(peripheral) }

  /// The ready drafts were handed on.
  mutating func removeReady() { ready.removeAll(keepingCapacity: true) }

  /// The link is gone and nothing waits.
  var hasEnded: Bool { !isConnected && waiting.isEmpty && ready.isEmpty }

  // MARK: - What is learnt about the strap

  mutating func setName(_ name: String) {
    description.setName(name)
    if description.isComplete { release() }
  }

  /// Takes a characteristic that was read; one that says nothing about the strap is passed over.
  mutating func take(_ characteristic: BluetoothUUID, _ value: AttributeValue) {
    if let reason = description.take(characteristic, value) {
      anomalies["\(characteristic).\(reason.rawValue)", default: 0] += 1
    }
    if description.isComplete { release() }
  }

  /// No more will be learnt about the strap.
  mutating func release() {
    isDescribed = true
    waitingSince = nil
    ready.append(contentsOf: waiting)
    waiting.removeAll()
  }

  // MARK: - What the strap measures

  /// - Returns: Why the measurement becomes no heart-rate sample, or `nil` where a draft of one was made.
  mutating func receive(_ frame: AttributeValue, at time: ReceiptTime) -> Rejection? {
    measurements += 1
    guard (0..<ReceiptTime.lastSecondOf9999).contains(time.microsecondsSince1970) else {
      return .receiptTimeOutOfRange
    }
    let measurement: HeartRateMeasurement
    do throws(DecodingFailure) {
      measurement = try frame.withBytes { bytes throws(DecodingFailure) in
        try HeartRateMeasurement(decoding: bytes) { anomalies[$0.rawValue, default: 0] += 1 }
      }
    } catch {
      return Rejection(error.reason)
    }
    if let total = measurement.energyExpended, let difference = energy.receive(total, at: time) {
      draft(.energy(difference, frame: frame), at: time)
    }
    if let rejection = measurement.rejection {
      clock.interrupt()
      draftFinishedSegments(at: time)
      return rejection
    }
    draft(.heartRate(measurement.heartRate, at: time, frame: frame), at: time)
    measurement.rrTicks.withSpan { clock.receive($0, at: time) }
    draftFinishedSegments(at: time)
    return nil
  }

  /// A link begins. One that was there before has ended unseen.
  mutating func connect() {
    if isConnected { disconnect() }
    isConnected = true
  }

  /// Frames may be missing here: no interval is joined across, but the strap is the same.
  mutating func interrupt() {
    clock.interrupt()
    draftFinishedSegments(at: nil)
  }

  /// The link is gone, and with it the strap's promise that the energy total goes on.
  mutating func disconnect() {
    isConnected = false
    interrupt()
    energy.forget()
    release()
    isDescribed = description.isComplete
  }

  private mutating func draftFinishedSegments(at time: ReceiptTime?) {
    guard !clock.finished.isEmpty else { return }
    for segment in clock.takeFinished() { draft(.beats(segment), at: time) }
  }

  private mutating func draft(_ draft: SampleDraft, at time: ReceiptTime?) {
    guard !isDescribed else {
      ready.append(draft)
      return
    }
    waiting.append(draft)
    guard let time else { return }
    let since = waitingSince ?? time
    waitingSince = since
    if time.microseconds(since: since) > Self.patience || waiting.count > Self.maximumWaiting { release() }
  }
}

extension HeartRateMeasurement {
  /// Why this measurement's heart rate is none.
  fileprivate var rejection: Rejection? {
    if sensorContact == .notDetected { return .contactNotDetected }
    if heartRate == 0 { return .zeroHeartRate }
    return nil
  }
}

extension ReceiptTime {
  /// 9999-12-31 23:59:59 UTC: what comes after 10000-01-01 ISO 8601 has no four digits for, and a `Date` so far away rounds by tens
  /// of microseconds.
  fileprivate static let lastSecondOf9999: Int64 = 253_402_300_799_000_000
}
