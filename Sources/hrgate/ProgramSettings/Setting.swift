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
  /// The default value; `nil` if the setting has no default.
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
    "Path of the database file with the health data. Programs that use the HealthKit module ignore it and use the default path."
  )
  public static let person = Setting(
    "person", .name, nil, or: "owner",
    "The person whose health data to use: a name from 'hrgate people', or owner for yourself. Programs that use the HealthKit module read only the environment variable."
  )
  public static let adapter = Setting(
    "adapter", .address, nil, or: "any",
    "Use only this Bluetooth adapter, given by its address, such as 00:1B:DC:0A:0B:01, because names like hci0 may change."
  )
  public static let wait = Setting(
    "wait", .boolean, "no",
    "If D-Bus, bluetoothd or the Bluetooth adapter is missing, or another hrgate run uses the same store, wait instead of ending with an error."
  )
  public static let commitInterval = Setting(
    "commit-interval", .number(0.05...3600), "5",
    "Interval in seconds at which measurements are written to disk, from 0.05 to 3600. A power failure loses at most the measurements of that time. Displayed heart rates are not delayed. If another program receives from the same monitor, measurements that may be duplicates are written up to 8 seconds later."
  )
  public static let resetEnergy = Setting(
    "reset-energy", .boolean, "no",
    "Set each monitor's counter of expended energy to zero when hrgate run first connects to it.")
  public static let values = Setting(
    "values", .boolean, "yes",
    "Show heart rates, skin contact and RR intervals on the terminal during hrgate run.")
  public static let sync = Setting(
    "sync", .boolean, "yes",
    "During hrgate run, also send new data to the databases and servers added with hrgate sync.")
  public static let derive = Setting(
    "derive", .boolean, "yes",
    "During hrgate run, compute heart-rate variability and resting heart rate from the stored data, and store them."
  )
  public static let condense = Setting(
    "condense", .boolean, "yes",
    "During hrgate run, compress stored samples that are older than an hour: a heart rate then takes a few bytes instead of about a hundred. Programs read the same samples as before."
  )

  public static let bus = Setting(
    "bus", .choice(["auto", "session", "system", "none"]), "auto",
    "D-Bus on which hrgate status and other programs can read the state of hrgate run: auto (the session bus if there is one, otherwise the system bus), session, system or none."
  )

  public static let journal = Setting(
    "journal", .boolean, "yes",
    "If the output of hrgate run goes to the systemd journal, write each event as a journal entry with fields, such as HRGATE_MONITOR, instead of a line of text."
  )
  public static let metrics = Setting(
    "metrics", .path, nil, or: "none",
    "Write counters and states of hrgate run to this file, for the textfile collector of Prometheus' node exporter. The collector reads only files whose names end with .prom, such as /var/lib/prometheus/node-exporter/hrgate.prom."
  )
  public static let metricsGroup = Setting(
    "metrics-group", .boolean, "no",
    "Let the group of the metrics file read it (mode 640); otherwise only its owner can (mode 600).")

  public static let page = Setting(
    "page", .boolean, "no",
    "During hrgate run, also serve the web page (see hrgate page), only on this machine.")

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
    case .name: "owner or a person's name (see hrgate people)"
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
