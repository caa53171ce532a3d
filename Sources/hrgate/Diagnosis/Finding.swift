/// The result of a check, with advice.
public struct Finding: Hashable, Sendable {
  /// The severity. `--json` prints the raw values, which are stable.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    case ok
    /// The gateway works, but a problem occurs sometimes or is likely.
    case warn
    /// A problem prevents the gateway from working.
    case fail
  }

  /// The name of the check. It is stable.
  public var check: String
  /// The adapter, monitor or file; `nil` if there is only one.
  public var subject: String?
  public var verdict: Verdict
  public var text: String
  /// Advice; `nil` if no action is needed.
  public var advice: String?

  public init(
    _ check: String, of subject: String? = nil, _ verdict: Verdict, _ text: String, advice: String? = nil
  ) {
    self.check = check
    self.subject = subject
    self.verdict = verdict
    self.text = text
    self.advice = advice
  }
}
