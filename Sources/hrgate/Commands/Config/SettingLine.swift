/// The JSON object that `hrgate config --json` prints for a setting. The names are stable.
struct SettingLine: Encodable {
  var name: String
  /// The value; absent if the setting has none.
  var value: String?
  /// Where the value is set: the environment variable, the file and line, or `default`.
  var origin: String
  /// The default, in words.
  var `default`: String
  var variable: String
  var purpose: String

  init(_ setting: Setting, _ settings: Settings) {
    name = setting.name
    value = settings.text(setting)
    origin = settings.origin(of: setting).text
    `default` = setting.standardText
    variable = setting.variable
    purpose = setting.purpose
  }

  static func table(_ lines: [SettingLine]) -> [String] {
    TextTable.lines(
      lines.map { [$0.name, ($0.value ?? $0.default).plain, $0.origin.plain] })
  }
}
