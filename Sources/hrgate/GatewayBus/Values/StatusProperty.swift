import DBus

/// Encodes and decodes a Swift type on D-Bus.
struct BusForm<Value>: Sendable {
  let signature: Signature
  let encode: @Sendable (Value) -> DBusValue
  /// Decodes a D-Bus value. Returns `nil` if the value has another type.
  let decode: @Sendable (DBusValue) -> Value?
}

extension BusForm<String> {
  static var text: Self {
    BusForm(signature: "s", encode: { .string($0) }, decode: { $0.asString })
  }
}

extension BusForm<Bool> {
  static var boolean: Self {
    BusForm(signature: "b", encode: { .boolean($0) }, decode: { $0.asBool })
  }
}

extension BusForm<UInt8> {
  static var byte: Self {
    BusForm(signature: "y", encode: { .byte($0) }, decode: { $0.asInteger.flatMap { UInt8(exactly: $0) } })
  }
}

extension BusForm<UInt16> {
  static var number: Self {
    BusForm(signature: "q", encode: { .uint16($0) }, decode: { $0.asInteger.flatMap { UInt16(exactly: $0) } })
  }
}

extension BusForm<UInt64> {
  static var count: Self {
    BusForm(signature: "t", encode: { .uint64($0) }, decode: { $0.asInteger.flatMap { UInt64(exactly: $0) } })
  }
}

/// When changes of a property are signaled.
enum Emission {
  case always
  /// Changes are signaled only while a client watches. The value changes with each measurement, and signals
  /// without a reader would cost more than the measuring.
  case whileWatched
}

extension BusForm<[Double]> {
  static var numbers: Self {
    BusForm(
      signature: "ad", encode: { .array(of: "d", $0.map(DBusValue.double)) },
      decode: { value in
        let numbers = value.asArray?.map(\.asDouble)
        return numbers?.contains(nil) == false ? numbers?.compactMap(\.self) : nil
      })
  }
}

/// A D-Bus property of a status, with functions to read and write its value in the status structure.
struct StatusProperty<Status>: Sendable {
  let name: String
  let emission: Emission
  let signature: Signature
  /// Returns the value; `nil` if unknown.
  let value: @Sendable (Status) -> DBusValue?
  /// Sets the value if it has the right type.
  let take: @Sendable (DBusValue, inout Status) -> Void
  /// Sets the value to unknown.
  let forget: @Sendable (inout Status) -> Void

  /// Creates a property that always has a value.
  static func known<Value>(
    _ name: String, _ place: any WritableKeyPath<Status, Value> & Sendable, _ form: BusForm<Value>,
    _ emission: Emission = .always
  ) -> StatusProperty {
    StatusProperty(
      name: name, emission: emission, signature: form.signature, value: { form.encode($0[keyPath: place]) },
      take: { if let value = form.decode($0) { $1[keyPath: place] = value } }, forget: { _ in })
  }

  /// Creates a property that may be absent.
  static func perhaps<Value>(
    _ name: String, _ place: any WritableKeyPath<Status, Value?> & Sendable, _ form: BusForm<Value>,
    _ emission: Emission = .always
  ) -> StatusProperty {
    StatusProperty(
      name: name, emission: emission, signature: form.signature,
      value: { $0[keyPath: place].map(form.encode) },
      take: { $1[keyPath: place] = form.decode($0) }, forget: { $0[keyPath: place] = nil })
  }
}

/// A status that consists of properties.
protocol BusStatus: Sendable {
  static var properties: [StatusProperty<Self>] { get }
  /// Properties that do not change with each measurement.
  static var lastingProperties: [StatusProperty<Self>] { get }
}

extension MonitorStatus: BusStatus {
  static let lastingProperties = properties.filter { $0.emission == .always }
  static let properties: [StatusProperty<MonitorStatus>] = [
    .known("Address", \.address, .text),
    .perhaps("Name", \.name, .text),
    .perhaps("Person", \.person, .text),
    .perhaps("State", \.state, .text),
    .perhaps("Detail", \.detail, .text),
    .perhaps("Advice", \.advice, .text),
    .perhaps("Adapter", \.adapter, .text),
    .perhaps("Battery", \.battery, .byte),
    .known("Bonded", \.isBonded, .boolean),
    .perhaps("HeartRate", \.heartRate, .number, .whileWatched),
    .perhaps("MeasuredAt", \.measuredAt, .count, .whileWatched),
    .perhaps("Contact", \.hasContact, .boolean, .whileWatched),
    .known("Intervals", \.intervals, .numbers, .whileWatched),
    .known("Beats", \.beats, .count, .whileWatched),
    .perhaps("BeatAt", \.beatAt, .count, .whileWatched),
    .known("Measurements", \.measurements, .count, .whileWatched),
  ]
}

extension GatewayStatus: BusStatus {
  static let lastingProperties = properties.filter { $0.emission == .always }
  static let properties: [StatusProperty<GatewayStatus>] = [
    .known("Summary", \.summary, .text),
    .perhaps("StoreFailure", \.storeFailure, .text),
    .known("Measurements", \.measurements, .count, .whileWatched),
    .known("Stored", \.stored, .count, .whileWatched),
    .known("Duplicates", \.duplicates, .count, .whileWatched),
    .known("Rejected", \.rejected, .count, .whileWatched),
    .known("Waiting", \.waiting, .count, .whileWatched),
  ]
}

extension [String: DBusValue] {
  /// Encodes the known properties of a status.
  init<Status>(_ status: Status, _ properties: [StatusProperty<Status>]) {
    self.init(
      properties.compactMap { property in property.value(status).map { (property.name, $0) } },
      uniquingKeysWith: { $1 })
  }
}
