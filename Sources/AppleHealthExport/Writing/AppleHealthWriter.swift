package import Foundation
package import HealthKit
import HealthStorage

/// Writes samples in the Health app's export format.
///
/// What the format cannot express is written to hrgate's own metadata entry (`Exactness`), so that
/// ``AppleHealthImport`` restores exactly the same samples.
package struct AppleHealthWriter: Sendable {
  private let zone: TimeZone
  private var identity = RecordIdentity()
  private let output: @Sendable (String) throws -> Void
  /// The bundle identifiers that an import derives from source names, keyed by name.
  private var derivedSources: [String: String] = [:]

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - zone: The time zone of the printed times.
  ///   - output: Receives the document in pieces.
  package init(
    zone: TimeZone = .current, to output: @escaping @Sendable (String) throws -> Void
  ) {
    self.zone = zone
    self.output = output
  }

  // MARK: - The document

  /// Writes the beginning of the document.
  ///
  /// - Parameter characteristics: The characteristics of the user.
  package func begin(at date: Date, _ characteristics: [StatedCharacteristic]) throws {
    try output("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    try output(DocumentType.text)
    try output("<HealthData locale=\"en_US\">\n")
    let time = text(of: Microseconds.clamped(date))
    try output(" <ExportDate value=\"\(time)\"/>\n")
    var me = ElementText("Me", indent: 1)
    for type in StatedCharacteristic.types {
      let stated = characteristics.first { $0.type == type } ?? StatedCharacteristic(type, 0)
      me.add(type.rawValue, stated.text)
    }
    me.add("HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse", "None")
    try output(me.empty)
  }

  package func end() throws { try output("</HealthData>\n") }

  /// Writes a sample.
  ///
  /// - Returns: Whether the format supports this kind of sample; if not, nothing is written.
  package mutating func write(_ sample: HKSample) throws -> Bool {
    guard let text = text(of: sample, indent: 1) else { return false }
    try output(text)
    return true
  }

  private mutating func text(of sample: HKSample, indent: Int) -> String? {
    switch sample {
    // An export could only contain the sum or average of a quantity series, so do not write it.
    case let sample as HKQuantitySample where sample.count == 1: quantity(sample, indent)
    case let sample as HKCategorySample: category(sample, indent)
    case let sample as HKHeartbeatSeriesSample: beats(sample, indent)
    case let sample as HKCorrelation: correlation(sample, indent)
    case let sample as HKWorkout: workout(sample, indent)
    default: nil
    }
  }

  // MARK: - Common attributes

  private func zoneSeconds(_ microseconds: Int64) -> Int {
    // Round the UTC offset to minutes: the format cannot express the seconds of some historical offsets.
    zone.secondsFromGMT(for: Microseconds.date(microseconds)) / 60 * 60
  }

  func text(of microseconds: Int64) -> String {
    ExportTime.text(microseconds, zone: zoneSeconds(microseconds))
  }

  /// Adds the attributes for source and device.
  private func add(originOf sample: HKSample, to element: inout ElementText) {
    let revision = sample.sourceRevision
    element.add("sourceName", revision.source.name)
    element.add("sourceVersion", revision.version)
    element.add("device", sample.device.map(DeviceText.text))
  }

  /// Adds the start, end and creation date. HealthKit has no creation date, but programs that read exports
  /// require one. It is set to the end, because a sample cannot be created earlier.
  private func add(timesOf sample: HKSample, to element: inout ElementText) {
    element.add("creationDate", text(of: Microseconds.clamped(sample.endDate)))
    element.add("startDate", text(of: Microseconds.clamped(sample.startDate)))
    element.add("endDate", text(of: Microseconds.clamped(sample.endDate)))
  }

  /// Returns the metadata elements, including hrgate's own entry for what the sample's element cannot
  /// express.
  private mutating func metadata(
    of sample: HKSample, _ content: [UInt8], _ exactness: Exactness = Exactness(), indent: Int
  ) -> [String] {
    var exactness = exactness
    let source = sample.sourceRevision.source
    let (start, end) = (Microseconds.clamped(sample.startDate), Microseconds.clamped(sample.endDate))
    exactness.start = ExportTime.fraction(start)
    exactness.end = ExportTime.fraction(end)
    let derived = identity.uuid(
      type: sample.sampleType.identifier, source: source.name, start: start, end: end, content: content)
    if derived != sample.uuid { exactness.uuid = sample.uuid }
    exactness.takeOrigin(of: sample) { derivedIdentifier(of: $0) }
    return entries(sample.objectMetadata, exactness, zone: zoneSeconds(start), indent: indent)
  }

  private mutating func derivedIdentifier(of name: String) -> String {
    if let known = derivedSources[name] { return known }
    let derived = RecordIdentity.bundleIdentifier(ofSource: name)
    derivedSources[name] = derived
    return derived
  }

  func entries(
    _ metadata: ObjectMetadata?, _ exactness: Exactness, zone: Int, indent: Int
  ) -> [String] {
    var exactness = exactness
    var entries: [String] = []
    for (key, value) in (metadata?.encoded.values ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard AttributeText.isStatable(key), key != Exactness.key else {
        exactness.metadata[key] = value
        continue
      }
      let text = MetadataText.text(value, zone: zone)
      entries.append(entry(key, text, indent))
      if !AttributeText.isStatable(text) || MetadataText.value(text, forKey: key) != value {
        exactness.metadata[key] = value
      }
    }
    if !exactness.isEmpty { entries.append(entry(Exactness.key, exactness.text, indent)) }
    return entries
  }

  private func entry(_ key: String, _ value: String, _ indent: Int) -> String {
    var element = ElementText("MetadataEntry", indent: indent)
    element.add("key", key)
    element.add("value", value)
    return element.empty
  }

  // MARK: - Records

  private mutating func quantity(_ sample: HKQuantitySample, _ indent: Int) -> String {
    var element = ElementText("Record", indent: indent)
    element.add("type", sample.quantityType.identifier)
    add(originOf: sample, to: &element)
    let unit = sample.quantity.unit
    element.add("unit", unit.unitString)
    add(timesOf: sample, to: &element)
    element.add("value", NumberText.text(sample.quantity.doubleValue(for: unit)))
    let content = RecordIdentity.content(sample.quantity, of: sample.quantityType)
    return element.holding(metadata(of: sample, content, indent: indent + 1))
  }

  private mutating func category(_ sample: HKCategorySample, _ indent: Int) -> String {
    var element = ElementText("Record", indent: indent)
    element.add("type", sample.categoryType.identifier)
    add(originOf: sample, to: &element)
    add(timesOf: sample, to: &element)
    let constant = EnumerationValues.constant(for: sample.value, of: sample.categoryType.enumeration)
    element.add("value", constant ?? String(sample.value))
    return element.holding(metadata(of: sample, RecordIdentity.content(sample.value), indent: indent + 1))
  }

  private mutating func beats(_ sample: HKHeartbeatSeriesSample, _ indent: Int) -> String? {
    guard let heartbeats = sample.heartbeats else { return nil }
    var element = ElementText("Record", indent: indent)
    element.add("type", sample.sampleType.identifier)
    add(originOf: sample, to: &element)
    add(timesOf: sample, to: &element)
    let start = Microseconds.clamped(sample.startDate)
    let beats = heartbeats.map {
      BeatList.Beat(
        time: start + Int64(($0.timeIntervalSinceStart * 1e6).rounded()), precededByGap: $0.precededByGap)
    }
    let listed = BeatList.entries(beats)
    var exactness = Exactness()
    let second = start - ExportTime.fraction(start)
    let zone = zoneSeconds(second)
    let end = Microseconds.clamped(sample.endDate)
    let record = BeatClock.Record(start: second, end: end - ExportTime.fraction(end), zone: zone)
    let isExact =
      BeatList.areStated(listed, in: record)
      && BeatList.beats(listed) == beats
      && zip(heartbeats, beats).allSatisfy { $0.timeIntervalSinceStart == Double($1.time - start) / 1e6 }
    if !isExact {
      exactness.beats = heartbeats.map {
        Heartbeat(offset: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap)
      }
    }
    let content = RecordIdentity.content(heartbeats.count)
    return element.holding(
      metadata(of: sample, content, exactness, indent: indent + 1)
        + [list(listed, zone: zone, indent: indent + 1)])
  }

  private func list(_ entries: [BeatList.Entry], zone: Int, indent: Int) -> String {
    let list = ElementText(BeatList.name, indent: indent)
    return list.holding(
      entries.map { entry in
        var element = ElementText(BeatList.entryName, indent: indent + 1)
        element.add("bpm", NumberText.text(entry.rate))
        element.add("time", ClockTime(BeatList.timeOfDay(entry.time, zone: zone)).text)
        return element.empty
      })
  }

  private mutating func correlation(_ sample: HKCorrelation, _ indent: Int) -> String? {
    var element = ElementText("Correlation", indent: indent)
    element.add("type", sample.correlationType.identifier)
    add(originOf: sample, to: &element)
    add(timesOf: sample, to: &element)
    var parts = metadata(of: sample, RecordIdentity.content(sample.objects), indent: indent + 1)
    for member in sample.objects.sorted(by: { $0.uuid < $1.uuid }) {
      guard let text = text(of: member, indent: indent + 1) else { return nil }
      parts.append(text)
    }
    return element.holding(parts)
  }

  // MARK: - Workouts

  private mutating func workout(_ sample: HKWorkout, _ indent: Int) -> String {
    var element = ElementText("Workout", indent: indent)
    let number = Int(sample.workoutActivityType.rawValue)
    element.add(
      "workoutActivityType",
      EnumerationValues.constant(for: number, of: "HKWorkoutActivityType") ?? String(number))
    add(duration: sample.duration, to: &element)
    add(originOf: sample, to: &element)
    add(timesOf: sample, to: &element)
    var parts = metadata(of: sample, RecordIdentity.content(number), indent: indent + 1)
    parts += (sample.workoutEvents ?? []).map { event($0, indent + 1) }
    parts += sample.statedActivities.map { activity($0, indent + 1) }
    parts += WorkoutSums.of(sample).map { type, sum in statistics(type, sum, sample, indent + 1) }
    return element.holding(parts)
  }

  /// Adds the duration in minutes, as in Apple's exports, or in seconds if the conversion would change the
  /// value.
  private func add(duration: TimeInterval, to element: inout ElementText) {
    let minutes = duration / 60
    let isExact = HKQuantity(unit: .minute(), doubleValue: minutes).doubleValue(for: .second()) == duration
    element.add("duration", NumberText.text(isExact ? minutes : duration))
    element.add("durationUnit", isExact ? "min" : "s")
  }

  private func event(_ event: HKWorkoutEvent, _ indent: Int) -> String {
    var element = ElementText("WorkoutEvent", indent: indent)
    let number = event.type.rawValue
    element.add("type", EnumerationValues.constant(for: number, of: "HKWorkoutEventType") ?? String(number))
    let start = Microseconds.clamped(event.dateInterval.start)
    element.add("date", text(of: start))
    let length = Microseconds.clamped(event.dateInterval.end) - start
    if length > 0 { add(duration: Double(length) / 1e6, to: &element) }
    var exactness = Exactness()
    exactness.start = ExportTime.fraction(start)
    return element.holding(
      entries(event.eventMetadata, exactness, zone: zoneSeconds(start), indent: indent + 1))
  }

  private func activity(_ activity: HKWorkoutActivity, _ indent: Int) -> String {
    var element = ElementText("WorkoutActivity", indent: indent)
    element.add("uuid", activity.uuid.uuidString)
    let start = Microseconds.clamped(activity.startDate)
    let end = activity.endDate.map(Microseconds.clamped)
    element.add("startDate", text(of: start))
    element.add("endDate", end.map { text(of: $0) })
    var exactness = Exactness()
    exactness.start = ExportTime.fraction(start)
    exactness.end = end.map(ExportTime.fraction) ?? 0
    return element.holding(
      entries(activity.activityMetadata, exactness, zone: zoneSeconds(start), indent: indent + 1))
  }

  private func statistics(
    _ type: HKQuantityTypeIdentifier, _ sum: HKQuantity, _ workout: HKWorkout, _ indent: Int
  ) -> String {
    var element = ElementText("WorkoutStatistics", indent: indent)
    element.add("type", type.rawValue)
    element.add("startDate", text(of: Microseconds.clamped(workout.startDate)))
    element.add("endDate", text(of: Microseconds.clamped(workout.endDate)))
    element.add("sum", NumberText.text(sum.doubleValue(for: sum.unit)))
    element.add("unit", sum.unit.unitString)
    return element.empty
  }
}

/// Builds the text of an element.
struct ElementText {
  private let name: String
  private let margin: String
  private var tag: String

  init(_ name: String, indent: Int) {
    self.name = name
    margin = String(repeating: " ", count: indent)
    tag = margin + "<" + name
  }

  /// Adds an attribute, unless the value is `nil`.
  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    tag += " " + name + "=\"" + AttributeText.encoded(value) + "\""
  }

  var empty: String { tag + "/>\n" }

  func holding(_ parts: [String]) -> String {
    parts.isEmpty ? empty : tag + ">\n" + parts.joined() + margin + "</" + name + ">\n"
  }
}
