import DBus

/// How a value of one type stands on the bus.
struct BusForm<Value>: Sendable {
  let signature: Signature
  let encode: @Sendable (Value) -> DBusValue
  /// `nil` for a value of another type.
  let decode: @Sendable (DBusValue) -> Value?
}

extension BusForm<String> {
  static var text: Self {
    BusForm(signature: "s", encode: { .string($0) }, decode: { $0.asString })
  }
}

extension BusForm<Bool> {
  static var truth: Self {
    BusForm(signature: "b", encode: { .boolean($0) }, decode: { $0.asBool })
  }
}

extension BusForm<UInt8> {
  static var octet: Self {
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

/// When changes of a property are told.
enum Telling {
  case always
  /// For as long as somebody watches: it changes with each measurement, and the bus would have more to do
  /// with telling nobody than the gateway with measuring.
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

/// A property of an interface, and where its value stands in a status.
struct StatusProperty<Status>: Sendable {
  let name: String
  let telling: Telling
  let signature: Signature
  /// The value; `nil` where it is not known.
  let value: @Sendable (Status) -> DBusValue?
  /// Takes the value from the bus, if it is of the type.
  let take: @Sendable (DBusValue, inout Status) -> Void
  /// It is not known any more.
  let forget: @Sendable (inout Status) -> Void

  /// A value that is always known.
  static func known<Value>(
    _ name: String, _ place: any WritableKeyPath<Status, Value> & Sendable, _ form: BusForm<Value>,
    _ telling: Telling = .always
  ) -> StatusProperty {
    StatusProperty(
      name: name, telling: telling, signature: form.signature, value: { form.encode($0[keyPath: place]) },
      take: { if let value = form.decode($0) { $1[keyPath: place] = value } }, forget: { _ in })
  }

  /// A value that may not be known.
  static func perhaps<Value>(
    _ name: String, _ place: any WritableKeyPath<Status, Value?> & Sendable, _ form: BusForm<Value>,
    _ telling: Telling = .always
  ) -> StatusProperty {
    StatusProperty(
      name: name, telling: telling, signature: form.signature, value: { $0[keyPath: place].map(form.encode) },
      take: { $1[keyPath: place] = form.decode($0) }, forget: { $0[keyPath: place] = nil })
  }
}

/// What is made of properties.
protocol BusStatus: Sendable {
  static var properties: [StatusProperty<Self>] { get }
  /// Those that a measurement does not change.
  static var lastingProperties: [StatusProperty<Self>] { get }
}

extension MonitorStatus: BusStatus {
  static let lastingProperties = properties.filter { $0.telling == .always }
  static let properties: [StatusProperty<MonitorStatus>] = [
    .known("Address", \.address, .text),
    .perhaps("Name", \.name, .text),
    .perhaps("Person", \.person, .text),
    .perhaps("State", \.state, .text),
    .perhaps("Detail", \.detail, .text),
    .perhaps("Advice", \.advice, .text),
    .perhaps("Adapter", \.adapter, .text),
    .perhaps("Battery", \.battery, .octet),
    .known("Bonded", \.isBonded, .truth),
    .perhaps("HeartRate", \.heartRate, .number, .whileWatched),
    .perhaps("MeasuredAt", \.measuredAt, .count, .whileWatched),
    .perhaps("Contact", \.hasContact, .truth, .whileWatched),
    .known("Intervals", \.intervals, .numbers, .whileWatched),
    .known("Beats", \.beats, .count, .whileWatched),
    .perhaps("BeatAt", \.beatAt, .count, .whileWatched),
    .known("Measurements", \.measurements, .count, .whileWatched),
  ]
}

extension GatewayStatus: BusStatus {
  static let lastingProperties = properties.filter { $0.telling == .always }
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
  /// What is known of a status.
  init<Status>(_ status: Status, _ properties: [StatusProperty<Status>]) {
    self.init(
      properties.compactMap { property in property.value(status).map { (property.name, $0) } },
      uniquingKeysWith: { $1 })
  }
}
