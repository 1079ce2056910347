% Models of bench/models with Octave, for orientation: lsode for ODEs, daspk for the DAE.
%
%     octave-cli octave_models.m MODEL N RTOL ATOL        prints: evaluations seconds answer
%
% Neither knows sparse matrices: Jacobians are full.
1;

function d = chain_rhs (x, rate, above, leak)
  left = [1; x(1:end-1)];
  right = [x(2:end); x(end) - leak * x(end) / above];
  d = rate * (left - x + above * (right - x));
end

function d = cascade_rhs (x, rate)
  d = rate * ([1; x(1:end-1)] - x);
end

function d = reaction_rhs (u, n)
  d = n * ([1; u(1:end-1)] - u) - 1000 * u .* (u - 0.5) .* (u - 1);
end

function d = robertson_rhs (y)
  a = -0.04 * y(1) + 1e4 * y(2) * y(3);
  c = 3e7 * y(2)^2;
  d = [a; -a - c; c];
end

function j = robertson_jacobian (y)
  j = [-0.04, 1e4 * y(3), 1e4 * y(2); 0.04, -1e4 * y(3) - 6e7 * y(2), -1e4 * y(2); 0, 6e7 * y(2), 0];
end

% x: c1, y3, c3, y6, c5, y1, y4, y7; see equations_by_hand.cc.
function r = amplifier_residual (x, d, t)
  y2 = x(6) + x(1); y5 = x(7) + x(3); y8 = x(8) + x(5);
  g = @(u) 1e-6 * (exp (u / 0.026) - 1);
  q1 = g (y2 - x(2)); q2 = g (y5 - x(4));
  ub = 6; ro = 9000; a = 0.99; c = 1e-6;
  r = [(x(6) - 0.1 * sin (200 * pi * t)) / 1000 - c * d(1)
       (2 * y2 - ub) / ro - (a - 1) * q1 + c * d(1)
       x(2) / ro - q1 + 2 * c * d(2)
       (x(7) - ub) / ro + a * q1 - 3 * c * d(3)
       (2 * y5 - ub) / ro - (a - 1) * q2 + 3 * c * d(3)
       x(4) / ro - q2 + 4 * c * d(4)
       (x(8) - ub) / ro + a * q2 - 5 * c * d(5)
       y8 / ro + 5 * c * d(5)];
end

function j = tridiagonal (n, below, middle, above)
  j = full (spdiags (ones (n, 1) * [below, middle, above], -1:1, n, n));
end

model = argv (){1};
[n, rtol, atol] = num2cell (cellfun (@str2double, argv ()(2:4)')){:};
tic;
global evaluations;
evaluations = 0;
function f = counted (f)
  global evaluations;
  ++evaluations;
end
shown = 1;
switch model
  case "robertson"
    rhs = @(y, t) counted (robertson_rhs (y)); jacobian = @(y, t) robertson_jacobian (y);
    x0 = [1; 0; 0]; stop = 1e11;
  case "heat"
    rhs = @(x, t) counted (chain_rhs (x, n^2, 1, 1));
    matrix = tridiagonal (n, n^2, -2 * n^2, n^2); jacobian = @(x, t) matrix;
    x0 = zeros (n, 1); stop = 0.5; shown = floor (n / 2) + 1;
  case "cascade"
    rhs = @(x, t) counted (cascade_rhs (x, n));
    matrix = tridiagonal (n, n, -n, 0); jacobian = @(x, t) matrix;
    x0 = zeros (n, 1); stop = 1; shown = n;
  case "ladder"
    rhs = @(x, t) counted (chain_rhs (x, 1, 1, 0));
    matrix = tridiagonal (n, 1, -2, 1); matrix(n, n) = -1; jacobian = @(x, t) matrix;
    x0 = zeros (n, 1); stop = 100; shown = 10;
  case "reaction"
    rhs = @(u, t) counted (reaction_rhs (u, n));
    jacobian = @(u, t) tridiagonal (n, n, -n, 0) - diag (1000 * (3 * u.^2 - 3 * u + 0.5));
    x0 = zeros (n, 1); stop = 0.5;
  case "amplifier"
    x0 = [3; 3; -3; 3; -6; 0; 6; 6]; c = 1e-6; stop = 0.2;
    d0 = [0; -3 / (2 * c * 9000); 0; -3 / (4 * c * 9000); 0; 51.338775; -24.9757667; -10.00564453];
end
if strcmp (model, "amplifier")
  daspk_options ("relative tolerance", rtol);
  daspk_options ("absolute tolerance", atol);
  daspk_options ("algebraic variables", [0 0 0 0 0 1 1 1]);
  daspk_options ("exclude algebraic variables from error test", 1);
  [x, d, state] = daspk (@(x, d, t) counted (amplifier_residual (x, d, t)), x0, d0, linspace (0, stop, 2001));  % at most 500 steps between two
  answer = x(end, 8) + x(end, 5); good = state > 0;
else
  lsode_options ("integration method", "stiff");
  lsode_options ("relative tolerance", rtol);
  lsode_options ("absolute tolerance", atol);
  lsode_options ("step limit", 1000000);
  [x, state] = lsode ({rhs, jacobian}, x0, [0, stop]);
  answer = x(end, shown); good = state == 2;
  if strcmp (model, "reaction") answer = mean (x(end, :)); end
end
if ! good error ("%s failed", model); end
printf ("%d %.6f %.17g\n", evaluations, toc, answer);
