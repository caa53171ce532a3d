/// A setting for all runs of the program, from a file or the environment.
public struct Setting: Hashable, Sendable {
  /// The form of a value.
  public enum Form: Hashable, Sendable {
    /// `yes` or `no`.
    case boolean
    case number(ClosedRange<Double>)
    /// A file path. `~/` stands for the home directory.
    case path
    case choice([String])
    /// A device address, `00:1B:DC:0A:0B:01`.
    case address
    /// The name of a person.
    case name
  }

  /// The name in files: `commit-interval`.
  public var name: String
  public var form: Form
  /// The default value; `nil` if there is none.
  public var standard: String?
  /// Description of the default.
  public var standardText: String
  /// Description of the purpose, one sentence.
  public var purpose: String

  /// The environment variable: `HRGATE_COMMIT_INTERVAL`.
  public var variable: String { "HRGATE_" + name.uppercased().replacing("-", with: "_") }

  private init(_ name: String, _ form: Form, _ standard: String?, or text: String? = nil, _ purpose: String) {
    self.name = name
    self.form = form
    self.standard = standard
    standardText = text ?? standard ?? ""
    self.purpose = purpose
  }
}

extension Setting {
  public static let store = Setting(
    "store", .path, nil, or: "$XDG_DATA_HOME/hrgate/health.sqlite",
    "Path of the store's file. Programs that use HealthKit only use the default path.")
  public static let person = Setting(
    "person", .name, nil, or: "the owner",
    "The person (see 'hrgate people') whose store to use. Programs that use HealthKit only read the variable."
  )
  public static let adapter = Setting(
    "adapter", .address, nil, or: "any", "Use only this adapter, given by address because hciN may change.")
  public static let wait = Setting(
    "wait", .boolean, "no",
    "Start without a bus, bluetoothd or adapter, or while another gateway runs on the store, and wait for it."
  )
  public static let commitInterval = Setting(
    "commit-interval", .number(0.05...3600), "5",
    "Commit measurements at this interval, in seconds. A power failure loses at most the last interval. Live values are not delayed. If another program subscribes too, possible duplicates are held back for up to 8 more seconds."
  )
  public static let resetEnergy = Setting(
    "reset-energy", .boolean, "no", "Reset each monitor's energy total at its first connection in a run.")
  public static let values = Setting(
    "values", .boolean, "yes", "Show heart rate, skin contact and RR interval on the terminal.")
  public static let sync = Setting(
    "sync", .boolean, "yes", "Send stored data to the destinations of hrgate sync while the gateway runs.")
  public static let derive = Setting(
    "derive", .boolean, "yes",
    "Derive values such as heart-rate variability from stored data while the gateway runs.")
  public static let condense = Setting(
    "condense", .boolean, "yes",
    "Compact samples that are older than an hour while the gateway runs. A heart rate then takes a few bytes; samples read the same."
  )

  public static let bus = Setting(
    "bus", .choice(["auto", "session", "system", "none"]), "auto",
    "The D-Bus on which the gateway publishes its status: the session bus if there is one, otherwise the system bus (auto), one of the two, or none."
  )

  public static let journal = Setting(
    "journal", .boolean, "yes",
    "If the gateway's output goes to the journal, write each event as an entry with fields instead of a line."
  )
  public static let metrics = Setting(
    "metrics", .path, nil, or: "none",
    "Write counters and states for Prometheus to this file. The textfile collector reads it if the name ends with .prom."
  )
  public static let metricsGroup = Setting(
    "metrics-group", .boolean, "no", "Let the group of the metrics file read it too, not only its owner.")

  public static let page = Setting(
    "page", .boolean, "no", "Serve the web page of hrgate page while the gateway runs, only on this machine.")

  /// All settings in display order.
  public static let all = [
    store, person, adapter, wait, commitInterval, resetEnergy, values, sync, derive, condense, bus, journal,
    metrics, metricsGroup, page,
  ]
}

extension Setting {
  /// Returns the requirement that a value violates, such as "a number from 0.05 to 3600".
  ///
  /// - Returns: `nil` if the value is valid.
  public func refusal(of value: String) -> String? { form.accepts(value) ? nil : form.demand }
}

extension Setting.Form {
  /// Returns whether the value has this form.
  func accepts(_ value: String) -> Bool {
    switch self {
    case .boolean: Boolean(value) != nil
    case .number(let range): Double(value).map { range.contains($0) } ?? false
    case .choice(let values): values.contains(value)
    case .path: value.hasPrefix("/") || value.hasPrefix("~/")
    case .name: !value.contains("/") && value != "." && value != ".."
    case .address: value.wholeMatch(of: #/[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}/#) != nil
    }
  }

  /// The requirement, for error messages.
  var demand: String {
    switch self {
    case .boolean: "yes or no"
    case .number(let range): "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    case .choice(let values): "one of " + values.joined(separator: ", ")
    case .path: "a path that begins with / or ~/"
    case .name: "a name of hrgate people"
    case .address: "an address such as 00:1B:DC:0A:0B:01"
    }
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}

/// A boolean in its accepted spellings.
enum Boolean {
  case yes
  case no

  init?(_ text: String) {
    switch text.lowercased() {
    case "yes", "true", "on", "1": self = .yes
    case "no", "false", "off", "0": self = .no
    default: return nil
    }
  }
}
