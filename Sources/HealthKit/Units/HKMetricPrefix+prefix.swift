import HealthFormats

extension HKMetricPrefix {
  var prefix: MetricPrefix {
    switch self {
    case .none: .none
    case .pico: .pico
    case .nano: .nano
    case .micro: .micro
    case .milli: .milli
    case .centi: .centi
    case .deci: .deci
    case .deca: .deca
    case .hecto: .hecto
    case .kilo: .kilo
    case .mega: .mega
    case .giga: .giga
    case .tera: .tera
    case .femto: .femto
    }
  }
}
