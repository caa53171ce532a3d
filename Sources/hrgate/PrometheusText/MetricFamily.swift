/// Metrics with the same name, as in Prometheus' text format
/// (prometheus.io/docs/instrumenting/exposition_formats).
public struct MetricFamily: Hashable, Sendable {
  /// The metric type.
  public enum Kind: String, Hashable, Sendable {
    /// A value that only grows until the program restarts. Its name ends with `_total`.
    case counter
    /// A value that can go up and down.
    case gauge
  }

  /// A sample of the family.
  public struct Sample: Hashable, Sendable {
    /// The labels that distinguish the sample, in output order.
    public var labels: [Label]
    public var value: Double

    public init(_ labels: [Label], _ value: Double) {
      self.labels = labels
      self.value = value
    }

    /// Creates a sample without labels.
    public init(_ value: Double) { self.init([], value) }
  }

  public struct Label: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var name: String
  public var kind: Kind
  /// The help text, one sentence.
  public var help: String
  public var samples: [Sample]

  public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.samples = samples
  }
}
